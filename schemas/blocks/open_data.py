"""Parts of the open-data blocks: the state of the local index and the date of its data set."""

import polars as pl

from innspect.schemas.declaration import Field, Mark
from innspect.schemas.kinds import COMPACT_DMY, COMPACT_YMD, day, one_of

STATUS = Mark(
    one_of("idle", "loaded", "downloading", "failed"), "State of the index; only idle and loaded are evidence."
)
SNAPSHOT_DATE = Field(day(COMPACT_YMD), "Day of the data set.", content=False)
SNAPSHOT_DATE_DMY = Field(day(COMPACT_DMY), "Day of the data set.", content=False)
INDEX_READY = {"index_not_ready": ~pl.col("status").fill_null("").is_in(["idle", "loaded"])}
