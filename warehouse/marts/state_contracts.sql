-- State contracts: one row per INN and contract.
-- question it answers: Which state contracts does a counterparty have, for how much?
-- depends on: inn
-- moves with requests: checked_at, collected_at by version_id
-- inn: INN that was checked.
-- reg_num: Number in the register of contracts.
-- law: Law of the purchase.
-- role: Role of the INN: supplier or customer.
-- signed_on: Date of signing.
-- amount_rub: Price. Sum it by role: as supplier the INN is paid, as customer it pays.
-- planned_payment_rub: Payment planned for the current year (the service's paid_sum), not the amount paid; rarely given.
-- stage: Stage, a code of the register; almost never given.
-- subject: Subject.
-- counterparty_inn: INN of the other side.
-- counterparty_name: Name of the other side.
-- okpd2_code: Product classifier code of the most expensive position.
-- okpd2_name: Name of that code.
-- url: Link to the contract card.
-- version_id: Version that contains it.
-- checked_at: Time of the latest request that confirmed it, UTC.
-- collected_at: When the service collected the data of that response, UTC.
-- confirmed: Whether the latest response of the block is evidence and contains the contract; false if it is known from an earlier response only.
-- complete: Whether the list that it is from is complete; false if the list is partial or capped: there may be more contracts, and counts and sums of this INN are lower bounds.
WITH {requested_states}
SELECT k.inn, c.reg_num, c.law, c.role, c.sign_date AS signed_on, c.amount AS amount_rub, c.paid_sum AS planned_payment_rub,
       c.contract_stage AS stage, c.subject,
       CASE c.role WHEN 'supplier' THEN c.customer_inn WHEN 'customer' THEN c.supplier_inn END AS counterparty_inn,
       CASE c.role WHEN 'supplier' THEN c.customer_name WHEN 'customer' THEN c.supplier_name END AS counterparty_name,
       c.okpd2_code, c.okpd2_name, c.url, k.version_id, k.checked_at, k.collected_at,
       k.state IN {evidence_states} AND r.snapshot_id IS NULL AS confirmed, k.complete
FROM requested_states k JOIN core.contracts__contracts c ON c.version_id = k.version_id
LEFT JOIN lineage.kept_rows r ON r.snapshot_id = k.snapshot_id AND r.table_name = 'contracts__contracts' AND r.row_no = c.contracts_no
WHERE k.block = 'contracts'
