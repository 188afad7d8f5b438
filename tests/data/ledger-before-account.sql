PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE runs (
	run_id VARCHAR NOT NULL, 
	started_at DATETIME NOT NULL, 
	finished_at DATETIME, 
	portfolio VARCHAR NOT NULL, 
	profile VARCHAR NOT NULL, 
	budget BIGINT NOT NULL, 
	exit_code INTEGER, 
	software_version VARCHAR NOT NULL, 
	home VARCHAR NOT NULL, 
	started_seq BIGINT NOT NULL, 
	opening_balance BIGINT, 
	PRIMARY KEY (run_id)
);
INSERT INTO runs VALUES('run','2026-11-20 12:00:00.000000','2026-11-20 13:00:00.000000','p','full',10000,6,'0.1.0','',1,NULL);
CREATE TABLE calls (
	call_id VARCHAR NOT NULL, 
	run_id VARCHAR NOT NULL, 
	inn VARCHAR NOT NULL, 
	method VARCHAR NOT NULL, 
	nth INTEGER NOT NULL, 
	expected BIGINT NOT NULL, 
	charged BIGINT, 
	state VARCHAR NOT NULL, 
	reserved_at DATETIME NOT NULL, 
	sent_at DATETIME, 
	resolved_at DATETIME, 
	http_status INTEGER, 
	reason VARCHAR, 
	balance BIGINT, 
	day VARCHAR NOT NULL, 
	month VARCHAR NOT NULL, 
	reserved_seq BIGINT NOT NULL, 
	sent_seq BIGINT, 
	resolved_seq BIGINT, 
	PRIMARY KEY (call_id)
);
INSERT INTO calls VALUES('83e61e68f55c67eaffbeabf7420cb178','run','7707083893','brief',1,400,400,'settled','2026-11-20 12:00:00.000000','2026-11-20 12:00:00.000000','2026-11-20 12:00:00.000000',200,NULL,99600,'2026-11-20','2026-11',2,3,4);
INSERT INTO calls VALUES('78ecbfe1d1389acb248879bbeea2180a','run','7736050003','brief',1,400,NULL,'unknown','2026-11-20 12:00:00.000000','2026-11-20 12:00:00.000000','2026-11-20 12:00:00.000000',NULL,'interrupted',NULL,'2026-11-20','2026-11',5,6,7);
CREATE TABLE outbox (
	response_id VARCHAR NOT NULL, 
	call_id VARCHAR NOT NULL, 
	run_id VARCHAR NOT NULL, 
	seq BIGINT NOT NULL, 
	received_at DATETIME NOT NULL, 
	bytes BIGINT NOT NULL, 
	sha256 VARCHAR NOT NULL, 
	masked BOOLEAN NOT NULL, 
	body BLOB NOT NULL, 
	PRIMARY KEY (response_id)
);
INSERT INTO outbox VALUES('b8cd6571d947a2325d02771147040e0d','83e61e68f55c67eaffbeabf7420cb178','run',4,'2026-11-20 12:00:01.000000',11,'933ee6f699653fc895787bddb50e091958b787b73dd75a108f011a8284568dd1',0,X'28b52ffd200b5900007b227072696365223a347d');
CREATE TABLE totals (
	scope VARCHAR NOT NULL, 
	period VARCHAR NOT NULL, 
	reserved BIGINT NOT NULL, 
	settled BIGINT NOT NULL, 
	unknown BIGINT NOT NULL, 
	PRIMARY KEY (scope, period)
);
INSERT INTO totals VALUES('run','run',0,400,400);
INSERT INTO totals VALUES('day','2026-11-20',0,400,400);
INSERT INTO totals VALUES('month','2026-11',0,400,400);
INSERT INTO totals VALUES('all','',0,400,400);
CREATE TABLE meter (
	id INTEGER NOT NULL, 
	layout INTEGER NOT NULL, 
	seq BIGINT NOT NULL, 
	balance BIGINT, 
	balance_at DATETIME, 
	balance_sent_seq BIGINT NOT NULL, 
	balance_seq BIGINT NOT NULL, 
	PRIMARY KEY (id)
);
INSERT INTO meter VALUES(1,1,7,99600,'2026-11-20 12:00:00.000000',3,4);
CREATE INDEX ix_runs_home ON runs (home);
CREATE INDEX calls_resolved ON calls (resolved_seq);
CREATE INDEX calls_state ON calls (state);
CREATE INDEX calls_asked ON calls (run_id, inn, method);
CREATE INDEX ix_outbox_seq ON outbox (seq);
COMMIT;
