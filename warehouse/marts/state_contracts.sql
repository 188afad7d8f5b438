-- State contracts: one row per INN and contract.
-- inn: INN that was checked.
-- reg_num: Number in the register of contracts.
-- law: Law of the purchase.
-- role: Role of the INN: supplier or customer.
-- signed_on: Day of signing.
-- amount_rub: Price.
-- paid_rub: Payment planned for the current year, as the register names it, not what was paid; rarely given.
-- stage: Stage, a code of the register; practically never given.
-- subject: Subject.
-- counterparty_inn: INN of the other side.
-- counterparty_name: Name of the other side.
-- okpd2_code: Product classifier code of the dearest position.
-- okpd2_name: Name of that code.
-- url: Link to the contract's card.
-- version_id: Version that holds it.
-- checked_at: When it was last asked and found so, UTC.
-- confirmed: Whether the latest answer of the block supports it: false where only an earlier one does.
WITH {knowledge}
SELECT k.inn, c.reg_num, c.law, c.role, c.sign_date AS signed_on, c.amount AS amount_rub, c.paid_sum AS paid_rub,
       c.contract_stage AS stage, c.subject,
       CASE c.role WHEN 'supplier' THEN c.customer_inn WHEN 'customer' THEN c.supplier_inn END AS counterparty_inn,
       CASE c.role WHEN 'supplier' THEN c.customer_name WHEN 'customer' THEN c.supplier_name END AS counterparty_name,
       c.okpd2_code, c.okpd2_name, c.url, k.version_id, k.checked_at,
       k.state IN ('found', 'clean', 'partial') AS confirmed
FROM knowledge k JOIN core.contracts__contracts c ON c.version_id = k.version_id
WHERE k.block = 'contracts'
