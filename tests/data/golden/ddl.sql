CREATE SCHEMA IF NOT EXISTS core;
CREATE SCHEMA IF NOT EXISTS current;
CREATE SCHEMA IF NOT EXISTS as_of;
CREATE SCHEMA IF NOT EXISTS lineage;
CREATE SCHEMA IF NOT EXISTS mart;
CREATE SCHEMA IF NOT EXISTS raw;
CREATE TABLE IF NOT EXISTS core."company" ("version_id" VARCHAR, "inn" VARCHAR, "ogrn" VARCHAR, "kpp" VARCHAR, "name" VARCHAR, "short_name" VARCHAR, "status" VARCHAR, "status_description" VARCHAR, "status_name" VARCHAR, "registration_date" DATE, "liquidation_date" DATE, "termination_reason" VARCHAR, "termination_kind" VARCHAR, "address" VARCHAR, "director" VARCHAR, "connections_graph" JSON, "authorized_capital" DECIMAL(18,2), "okved_main" VARCHAR, "okved_name" VARCHAR, "employee_count" BIGINT, "avg_salary" DECIMAL(18,2), "tax_regime" VARCHAR, "sme_category" VARCHAR, "invalid_data" BOOLEAN, "edo" VARCHAR, "illegal_finance" BOOLEAN, "mass_director" BOOLEAN, "mass_founder" BOOLEAN, "unfair_supplier" BOOLEAN, "disqualified_persons" BOOLEAN, "sanctions" BOOLEAN, "sanctions_founders" BOOLEAN, "mass_address" BOOLEAN, "invalid_address" BOOLEAN, "phone" VARCHAR, "email" VARCHAR, "website" VARCHAR, "vk_url" VARCHAR, "ok_url" VARCHAR, "tg_url" VARCHAR, "ig_url" VARCHAR, "birth_date" DATE, "okpo" VARCHAR, "oktmo" VARCHAR, "okato" VARCHAR, "okopf" VARCHAR, "okogu" VARCHAR, "okfs" VARCHAR, "pfr_number" VARCHAR, "fss_number" VARCHAR);
COMMENT ON TABLE core."company" IS 'The card: who the company or sole proprietor is. One row per INN.';
COMMENT ON COLUMN core."company"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company"."ogrn" IS 'Registration number: 13 digits, 15 for a sole proprietor.';
COMMENT ON COLUMN core."company"."kpp" IS 'Tax registration reason code; a sole proprietor has none.';
COMMENT ON COLUMN core."company"."name" IS 'Full name as the register spells it.';
COMMENT ON COLUMN core."company"."short_name" IS 'Short name, or the full one where the register has none.';
COMMENT ON COLUMN core."company"."status" IS 'Status, normalised.';
COMMENT ON COLUMN core."company"."status_description" IS 'Status as the source words it.';
COMMENT ON COLUMN core."company"."status_name" IS 'Exact register status, where given apart; mostly not.';
COMMENT ON COLUMN core."company"."registration_date" IS 'Day of registration.';
COMMENT ON COLUMN core."company"."liquidation_date" IS 'Day of termination; alone it means liquidation.';
COMMENT ON COLUMN core."company"."termination_reason" IS 'Reason of the termination, as it came.';
COMMENT ON COLUMN core."company"."termination_kind" IS 'Kind of termination; not given while active.';
COMMENT ON COLUMN core."company"."address" IS 'Registered address in one line with the postal code.';
COMMENT ON COLUMN core."company"."director" IS 'Person who acts without power of attorney.';
COMMENT ON COLUMN core."company"."connections_graph" IS 'Graph of connections, as it came: its inner fields are not documented.';
COMMENT ON COLUMN core."company"."authorized_capital" IS 'Authorized capital. [RUB]';
COMMENT ON COLUMN core."company"."okved_main" IS 'Code of the main activity.';
COMMENT ON COLUMN core."company"."okved_name" IS 'Name of the main activity; where it is missing, look in okved_list.';
COMMENT ON COLUMN core."company"."employee_count" IS 'Average headcount; 0 only where the history confirms it.';
COMMENT ON COLUMN core."company"."avg_salary" IS 'Average monthly salary, computed; 0 stands for not computed. [RUB]';
COMMENT ON COLUMN core."company"."tax_regime" IS 'Tax regime now, where disclosed.';
COMMENT ON COLUMN core."company"."sme_category" IS 'Small-business category; not given if not registered or not obtained.';
COMMENT ON COLUMN core."company"."invalid_data" IS 'The register holds a record of unreliable data.';
COMMENT ON COLUMN core."company"."edo" IS 'Takes part in electronic document exchange; usually not given.';
COMMENT ON COLUMN core."company"."illegal_finance" IS 'Flag under the anti-money-laundering law.';
COMMENT ON COLUMN core."company"."mass_director" IS 'The manager heads several entities.';
COMMENT ON COLUMN core."company"."mass_founder" IS 'A founder is a mass founder.';
COMMENT ON COLUMN core."company"."unfair_supplier" IS 'Listed in the unfair-supplier register.';
COMMENT ON COLUMN core."company"."disqualified_persons" IS 'A disqualified person is among managers or founders.';
COMMENT ON COLUMN core."company"."sanctions" IS 'Present in sanctions lists.';
COMMENT ON COLUMN core."company"."sanctions_founders" IS 'Founders are present in sanctions lists.';
COMMENT ON COLUMN core."company"."mass_address" IS 'Mass-registration address.';
COMMENT ON COLUMN core."company"."invalid_address" IS 'A record of unreliable data stands on the address.';
COMMENT ON COLUMN core."company"."phone" IS 'Main phone; often not given.';
COMMENT ON COLUMN core."company"."email" IS 'Main e-mail address; often not given.';
COMMENT ON COLUMN core."company"."website" IS 'Main site; often not given.';
COMMENT ON COLUMN core."company"."vk_url" IS 'Page in VK.';
COMMENT ON COLUMN core."company"."ok_url" IS 'Page in OK.';
COMMENT ON COLUMN core."company"."tg_url" IS 'Page in Telegram.';
COMMENT ON COLUMN core."company"."ig_url" IS 'Page in Instagram.';
COMMENT ON COLUMN core."company"."birth_date" IS 'Day of birth, for a person or sole proprietor.';
COMMENT ON COLUMN core."company"."okpo" IS 'Statistics code: enterprise.';
COMMENT ON COLUMN core."company"."oktmo" IS 'Statistics code: municipal territory.';
COMMENT ON COLUMN core."company"."okato" IS 'Statistics code: administrative territory.';
COMMENT ON COLUMN core."company"."okopf" IS 'Statistics code: legal form.';
COMMENT ON COLUMN core."company"."okogu" IS 'Statistics code: governing body.';
COMMENT ON COLUMN core."company"."okfs" IS 'Statistics code: form of ownership.';
COMMENT ON COLUMN core."company"."pfr_number" IS 'Registration number in the pension fund.';
COMMENT ON COLUMN core."company"."fss_number" IS 'Registration number in the social insurance fund.';
CREATE TABLE IF NOT EXISTS core."company__ip_records" ("version_id" VARCHAR, "inn" VARCHAR, "ip_records_no" INTEGER, "ogrnip" VARCHAR, "name" VARCHAR, "registration_date" DATE, "termination_date" DATE, "active" BOOLEAN, "status" VARCHAR, "termination_reason" VARCHAR, "termination_kind" VARCHAR);
COMMENT ON TABLE core."company__ip_records" IS 'Registrations of a sole proprietor, the active one first.';
COMMENT ON COLUMN core."company__ip_records"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__ip_records"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__ip_records"."ip_records_no" IS 'Place in ip_records, counted from 1.';
COMMENT ON COLUMN core."company__ip_records"."ogrnip" IS 'Registration number of that record.';
COMMENT ON COLUMN core."company__ip_records"."name" IS 'Full name of the entrepreneur.';
COMMENT ON COLUMN core."company__ip_records"."registration_date" IS 'Day of the registration.';
COMMENT ON COLUMN core."company__ip_records"."termination_date" IS 'Day of the termination; not given while active.';
COMMENT ON COLUMN core."company__ip_records"."active" IS 'Whether the registration is in force.';
COMMENT ON COLUMN core."company__ip_records"."status" IS 'Status as the source words it.';
COMMENT ON COLUMN core."company__ip_records"."termination_reason" IS 'Reason of the termination.';
COMMENT ON COLUMN core."company__ip_records"."termination_kind" IS 'Kind of termination.';
CREATE TABLE IF NOT EXISTS core."company__directors" ("version_id" VARCHAR, "inn" VARCHAR, "directors_no" INTEGER, "name" VARCHAR, "item_inn" VARCHAR, "position" VARCHAR);
COMMENT ON TABLE core."company__directors" IS 'All managers.';
COMMENT ON COLUMN core."company__directors"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__directors"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__directors"."directors_no" IS 'Place in directors, counted from 1.';
COMMENT ON COLUMN core."company__directors"."name" IS 'Full name.';
COMMENT ON COLUMN core."company__directors"."item_inn" IS 'INN, where the register discloses it.';
COMMENT ON COLUMN core."company__directors"."position" IS 'Position.';
CREATE TABLE IF NOT EXISTS core."company__founders" ("version_id" VARCHAR, "inn" VARCHAR, "founders_no" INTEGER, "name" VARCHAR, "item_inn" VARCHAR);
COMMENT ON TABLE core."company__founders" IS 'Founders, without shares.';
COMMENT ON COLUMN core."company__founders"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__founders"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__founders"."founders_no" IS 'Place in founders, counted from 1.';
COMMENT ON COLUMN core."company__founders"."name" IS 'Name.';
COMMENT ON COLUMN core."company__founders"."item_inn" IS 'INN: 10 digits for a company, 12 for a person.';
CREATE TABLE IF NOT EXISTS core."company__founder_shares" ("version_id" VARCHAR, "inn" VARCHAR, "founder_shares_no" INTEGER, "name" VARCHAR, "item_inn" VARCHAR, "share_pct" DOUBLE, "share_rub" DECIMAL(18,2), "date" DATE);
COMMENT ON TABLE core."company__founder_shares" IS 'Founders with shares.';
COMMENT ON COLUMN core."company__founder_shares"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__founder_shares"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__founder_shares"."founder_shares_no" IS 'Place in founder_shares, counted from 1.';
COMMENT ON COLUMN core."company__founder_shares"."name" IS 'Name.';
COMMENT ON COLUMN core."company__founder_shares"."item_inn" IS 'INN of the participant.';
COMMENT ON COLUMN core."company__founder_shares"."share_pct" IS 'Share of the authorized capital. [%]';
COMMENT ON COLUMN core."company__founder_shares"."share_rub" IS 'Nominal value of the share. [RUB]';
COMMENT ON COLUMN core."company__founder_shares"."date" IS 'Day the share was entered.';
CREATE TABLE IF NOT EXISTS core."company__beneficiaries" ("version_id" VARCHAR, "inn" VARCHAR, "beneficiaries_no" INTEGER, "name" VARCHAR, "item_inn" VARCHAR, "chain" JSON, "share_pct" DOUBLE, "type" VARCHAR);
COMMENT ON TABLE core."company__beneficiaries" IS 'Ultimate owners; not known for every company.';
COMMENT ON COLUMN core."company__beneficiaries"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__beneficiaries"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__beneficiaries"."beneficiaries_no" IS 'Place in beneficiaries, counted from 1.';
COMMENT ON COLUMN core."company__beneficiaries"."name" IS 'Name.';
COMMENT ON COLUMN core."company__beneficiaries"."item_inn" IS 'INN.';
COMMENT ON COLUMN core."company__beneficiaries"."chain" IS 'Chain of ownership, as it came.';
COMMENT ON COLUMN core."company__beneficiaries"."share_pct" IS 'Share held through the chain. [%]';
COMMENT ON COLUMN core."company__beneficiaries"."type" IS 'Kind of owner.';
CREATE TABLE IF NOT EXISTS core."company__okved_list" ("version_id" VARCHAR, "inn" VARCHAR, "okved_list_no" INTEGER, "code" VARCHAR, "name" VARCHAR, "is_main" BOOLEAN);
COMMENT ON TABLE core."company__okved_list" IS 'All activities.';
COMMENT ON COLUMN core."company__okved_list"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__okved_list"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__okved_list"."okved_list_no" IS 'Place in okved_list, counted from 1.';
COMMENT ON COLUMN core."company__okved_list"."code" IS 'Activity code.';
COMMENT ON COLUMN core."company__okved_list"."name" IS 'Name of the activity.';
COMMENT ON COLUMN core."company__okved_list"."is_main" IS 'Whether it is the main one.';
CREATE TABLE IF NOT EXISTS core."company__employees_history" ("version_id" VARCHAR, "inn" VARCHAR, "employees_history_no" INTEGER, "year" BIGINT, "count" BIGINT);
COMMENT ON TABLE core."company__employees_history" IS 'Average headcount by year.';
COMMENT ON COLUMN core."company__employees_history"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__employees_history"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__employees_history"."employees_history_no" IS 'Place in employees_history, counted from 1.';
COMMENT ON COLUMN core."company__employees_history"."year" IS 'Year.';
COMMENT ON COLUMN core."company__employees_history"."count" IS 'Average headcount.';
CREATE TABLE IF NOT EXISTS core."company__tax_debts" ("version_id" VARCHAR, "inn" VARCHAR, "tax_debts_no" INTEGER, "year" BIGINT, "period" VARCHAR, "kbkname" VARCHAR, "arrearsum" DECIMAL(18,2), "penaltysum" DECIMAL(18,2), "finesum" DECIMAL(18,2), "totalsum" DECIMAL(18,2));
COMMENT ON TABLE core."company__tax_debts" IS 'Tax debts on the card.';
COMMENT ON COLUMN core."company__tax_debts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__tax_debts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__tax_debts"."tax_debts_no" IS 'Place in tax_debts, counted from 1.';
COMMENT ON COLUMN core."company__tax_debts"."year" IS 'Year.';
COMMENT ON COLUMN core."company__tax_debts"."period" IS 'Period within the year.';
COMMENT ON COLUMN core."company__tax_debts"."kbkname" IS 'Tax or fee.';
COMMENT ON COLUMN core."company__tax_debts"."arrearsum" IS 'Arrears. [RUB]';
COMMENT ON COLUMN core."company__tax_debts"."penaltysum" IS 'Penalty interest. [RUB]';
COMMENT ON COLUMN core."company__tax_debts"."finesum" IS 'Fines. [RUB]';
COMMENT ON COLUMN core."company__tax_debts"."totalsum" IS 'Total. [RUB]';
CREATE TABLE IF NOT EXISTS core."company__tax_payments" ("version_id" VARCHAR, "inn" VARCHAR, "tax_payments_no" INTEGER, "year" BIGINT, "kbk" VARCHAR, "kbkname" VARCHAR, "taxsum" DECIMAL(18,2));
COMMENT ON TABLE core."company__tax_payments" IS 'Taxes paid.';
COMMENT ON COLUMN core."company__tax_payments"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__tax_payments"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__tax_payments"."tax_payments_no" IS 'Place in tax_payments, counted from 1.';
COMMENT ON COLUMN core."company__tax_payments"."year" IS 'Year.';
COMMENT ON COLUMN core."company__tax_payments"."kbk" IS 'Budget classification code.';
COMMENT ON COLUMN core."company__tax_payments"."kbkname" IS 'Tax or fee.';
COMMENT ON COLUMN core."company__tax_payments"."taxsum" IS 'Amount paid. [RUB]';
CREATE TABLE IF NOT EXISTS core."company__tax_years" ("version_id" VARCHAR, "inn" VARCHAR, "tax_years_no" INTEGER, "value" BIGINT);
COMMENT ON TABLE core."company__tax_years" IS 'Years with tax data.';
COMMENT ON COLUMN core."company__tax_years"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__tax_years"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__tax_years"."tax_years_no" IS 'Place in tax_years, counted from 1.';
COMMENT ON COLUMN core."company__tax_years"."value" IS 'Years with tax data.';
CREATE TABLE IF NOT EXISTS core."company__tax_regimes" ("version_id" VARCHAR, "inn" VARCHAR, "tax_regimes_no" INTEGER, "year" BIGINT, "period" VARCHAR, "taxCode" VARCHAR, "taxName" VARCHAR);
COMMENT ON TABLE core."company__tax_regimes" IS 'Tax regimes by period.';
COMMENT ON COLUMN core."company__tax_regimes"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__tax_regimes"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__tax_regimes"."tax_regimes_no" IS 'Place in tax_regimes, counted from 1.';
COMMENT ON COLUMN core."company__tax_regimes"."year" IS 'Year.';
COMMENT ON COLUMN core."company__tax_regimes"."period" IS 'Period within the year.';
COMMENT ON COLUMN core."company__tax_regimes"."taxCode" IS 'Code of the regime.';
COMMENT ON COLUMN core."company__tax_regimes"."taxName" IS 'Name of the regime.';
CREATE TABLE IF NOT EXISTS core."company__phones" ("version_id" VARCHAR, "inn" VARCHAR, "phones_no" INTEGER, "value" VARCHAR);
COMMENT ON TABLE core."company__phones" IS 'All known phones.';
COMMENT ON COLUMN core."company__phones"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__phones"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__phones"."phones_no" IS 'Place in phones, counted from 1.';
COMMENT ON COLUMN core."company__phones"."value" IS 'All known phones.';
CREATE TABLE IF NOT EXISTS core."company__emails" ("version_id" VARCHAR, "inn" VARCHAR, "emails_no" INTEGER, "value" VARCHAR);
COMMENT ON TABLE core."company__emails" IS 'All known e-mail addresses.';
COMMENT ON COLUMN core."company__emails"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__emails"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__emails"."emails_no" IS 'Place in emails, counted from 1.';
COMMENT ON COLUMN core."company__emails"."value" IS 'All known e-mail addresses.';
CREATE TABLE IF NOT EXISTS core."company__websites" ("version_id" VARCHAR, "inn" VARCHAR, "websites_no" INTEGER, "value" VARCHAR);
COMMENT ON TABLE core."company__websites" IS 'All known sites.';
COMMENT ON COLUMN core."company__websites"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__websites"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__websites"."websites_no" IS 'Place in websites, counted from 1.';
COMMENT ON COLUMN core."company__websites"."value" IS 'All known sites.';
CREATE TABLE IF NOT EXISTS core."company__licenses" ("version_id" VARCHAR, "inn" VARCHAR, "licenses_no" INTEGER, "number" VARCHAR, "date" DATE, "authority" VARCHAR, "activity" VARCHAR);
COMMENT ON TABLE core."company__licenses" IS 'Licences named on the card.';
COMMENT ON COLUMN core."company__licenses"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__licenses"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__licenses"."licenses_no" IS 'Place in licenses, counted from 1.';
COMMENT ON COLUMN core."company__licenses"."number" IS 'Number.';
COMMENT ON COLUMN core."company__licenses"."date" IS 'Day of issue.';
COMMENT ON COLUMN core."company__licenses"."authority" IS 'Licensing authority.';
COMMENT ON COLUMN core."company__licenses"."activity" IS 'Licensed activity.';
CREATE TABLE IF NOT EXISTS core."company__sro" ("version_id" VARCHAR, "inn" VARCHAR, "sro_no" INTEGER, "name" VARCHAR, "item_inn" VARCHAR, "date" DATE);
COMMENT ON TABLE core."company__sro" IS 'Memberships in self-regulatory organisations.';
COMMENT ON COLUMN core."company__sro"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__sro"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__sro"."sro_no" IS 'Place in sro, counted from 1.';
COMMENT ON COLUMN core."company__sro"."name" IS 'Name of the organisation.';
COMMENT ON COLUMN core."company__sro"."item_inn" IS 'Its INN.';
COMMENT ON COLUMN core."company__sro"."date" IS 'Day of joining.';
CREATE TABLE IF NOT EXISTS core."company__address_history" ("version_id" VARCHAR, "inn" VARCHAR, "address_history_no" INTEGER, "address" VARCHAR, "date" DATE);
COMMENT ON TABLE core."company__address_history" IS 'Addresses of the past.';
COMMENT ON COLUMN core."company__address_history"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__address_history"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__address_history"."address_history_no" IS 'Place in address_history, counted from 1.';
COMMENT ON COLUMN core."company__address_history"."address" IS 'Address.';
COMMENT ON COLUMN core."company__address_history"."date" IS 'Day from which it held.';
CREATE TABLE IF NOT EXISTS core."company__previous_names" ("version_id" VARCHAR, "inn" VARCHAR, "previous_names_no" INTEGER, "value" VARCHAR);
COMMENT ON TABLE core."company__previous_names" IS 'Names of the past.';
COMMENT ON COLUMN core."company__previous_names"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__previous_names"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__previous_names"."previous_names_no" IS 'Place in previous_names, counted from 1.';
COMMENT ON COLUMN core."company__previous_names"."value" IS 'Names of the past.';
CREATE TABLE IF NOT EXISTS core."company__tax_payments_by_year" ("version_id" VARCHAR, "inn" VARCHAR, "year" BIGINT, "tax_name" VARCHAR, "amount" DECIMAL(18,2));
COMMENT ON TABLE core."company__tax_payments_by_year" IS 'Taxes paid, by year and tax.';
COMMENT ON COLUMN core."company__tax_payments_by_year"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__tax_payments_by_year"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__tax_payments_by_year"."year" IS 'Year.';
COMMENT ON COLUMN core."company__tax_payments_by_year"."tax_name" IS 'Tax or fee.';
COMMENT ON COLUMN core."company__tax_payments_by_year"."amount" IS 'Amount paid. [RUB]';
CREATE TABLE IF NOT EXISTS core."company__social_profiles" ("version_id" VARCHAR, "inn" VARCHAR, "network" VARCHAR, "url" VARCHAR, "name" VARCHAR, "extra" JSON);
COMMENT ON TABLE core."company__social_profiles" IS 'Pages in social networks.';
COMMENT ON COLUMN core."company__social_profiles"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__social_profiles"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__social_profiles"."network" IS 'Network: vk, ok and so on.';
COMMENT ON COLUMN core."company__social_profiles"."url" IS 'Link to the page.';
COMMENT ON COLUMN core."company__social_profiles"."name" IS 'Name of the page.';
COMMENT ON COLUMN core."company__social_profiles"."extra" IS 'What else the service knows of it, as it came.';
CREATE TABLE IF NOT EXISTS core."company__leaves" ("version_id" VARCHAR, "inn" VARCHAR, "path" VARCHAR, "value" VARCHAR, "type" VARCHAR);
COMMENT ON TABLE core."company__leaves" IS 'Leaves of what has no documented fields, one row each.';
COMMENT ON COLUMN core."company__leaves"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."company__leaves"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."company__leaves"."path" IS 'Where the leaf stands, as a JSONPath into the block.';
COMMENT ON COLUMN core."company__leaves"."value" IS 'The leaf as it came.';
COMMENT ON COLUMN core."company__leaves"."type" IS 'Its JSON type: string, number, boolean or null; object or array where it is empty.';
CREATE TABLE IF NOT EXISTS core."fssp" ("version_id" VARCHAR, "inn" VARCHAR, "total_proceedings" BIGINT, "active_proceedings" BIGINT, "completed_proceedings" BIGINT, "total_debt_rub" DECIMAL(18,2), "active_debt_rub" DECIMAL(18,2), "completed_paid" BIGINT, "completed_no_assets" BIGINT, "completed_expired" BIGINT, "completed_returned" BIGINT, "completed_other" BIGINT);
COMMENT ON TABLE core."fssp" IS 'Enforcement proceedings against the company or person: one row, with counts by outcome and debts.';
COMMENT ON COLUMN core."fssp"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."fssp"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."fssp"."total_proceedings" IS 'Proceedings, active and ended.';
COMMENT ON COLUMN core."fssp"."active_proceedings" IS 'Proceedings without a reason of the end.';
COMMENT ON COLUMN core."fssp"."completed_proceedings" IS 'Proceedings that have ended.';
COMMENT ON COLUMN core."fssp"."total_debt_rub" IS 'Debt over all proceedings, read from their subjects; those without an amount add 0. [RUB]';
COMMENT ON COLUMN core."fssp"."active_debt_rub" IS 'Debt over the active proceedings. [RUB]';
COMMENT ON COLUMN core."fssp"."completed_paid" IS 'Ended because the debtor performed.';
COMMENT ON COLUMN core."fssp"."completed_no_assets" IS 'Ended because neither debtor nor assets were found; a bad sign.';
COMMENT ON COLUMN core."fssp"."completed_expired" IS 'Ended because the term ran out.';
COMMENT ON COLUMN core."fssp"."completed_returned" IS 'Ended by giving the document back to the claimant.';
COMMENT ON COLUMN core."fssp"."completed_other" IS 'Ended for another reason: cancelled, merged, or worded unclearly.';
CREATE TABLE IF NOT EXISTS core."fssp__proceedings" ("version_id" VARCHAR, "inn" VARCHAR, "proceedings_no" INTEGER, "exe_production" VARCHAR, "process_date" DATE, "subject" VARCHAR, "subject_matter" VARCHAR, "sum" DECIMAL(18,2), "is_active" BOOLEAN, "end_reason" VARCHAR, "completion_reason" VARCHAR, "debtor_name" VARCHAR, "department" VARCHAR, "department_address" VARCHAR, "bailiff" VARCHAR, "bailiff_phone" VARCHAR, "document_type" VARCHAR, "case_number" VARCHAR, "doc_date" DATE, "court_name" VARCHAR);
COMMENT ON TABLE core."fssp__proceedings" IS 'Proceedings, unsorted.';
COMMENT ON COLUMN core."fssp__proceedings"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."fssp__proceedings"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."fssp__proceedings"."proceedings_no" IS 'Place in proceedings, counted from 1.';
COMMENT ON COLUMN core."fssp__proceedings"."exe_production" IS 'Number of the proceeding with its day of initiation; identifies it.';
COMMENT ON COLUMN core."fssp__proceedings"."process_date" IS 'Day of initiation; not given where the number has no date.';
COMMENT ON COLUMN core."fssp__proceedings"."subject" IS 'What is enforced.';
COMMENT ON COLUMN core."fssp__proceedings"."subject_matter" IS 'What is enforced with its amount; the same as subject where there is none.';
COMMENT ON COLUMN core."fssp__proceedings"."sum" IS 'Debt of this proceeding; 0 stands for no amount, claims for an act included. [RUB]';
COMMENT ON COLUMN core."fssp__proceedings"."is_active" IS 'Whether it goes on: no reason of an end is given.';
COMMENT ON COLUMN core."fssp__proceedings"."end_reason" IS 'Reason of the end as the source words it, an article of law; none while active.';
COMMENT ON COLUMN core."fssp__proceedings"."completion_reason" IS 'Reason of the end, normalised; none while active.';
COMMENT ON COLUMN core."fssp__proceedings"."debtor_name" IS 'Debtor as named at initiation: it may be an old name or name a branch.';
COMMENT ON COLUMN core."fssp__proceedings"."department" IS 'Department of bailiffs.';
COMMENT ON COLUMN core."fssp__proceedings"."department_address" IS 'Address of the department in one line, gaps between commas included.';
COMMENT ON COLUMN core."fssp__proceedings"."bailiff" IS 'Bailiff; often not given.';
COMMENT ON COLUMN core."fssp__proceedings"."bailiff_phone" IS 'Phone of the bailiff, given only with the name.';
COMMENT ON COLUMN core."fssp__proceedings"."document_type" IS 'Kind of document that is enforced: writ, court order, tax act and so on.';
COMMENT ON COLUMN core."fssp__proceedings"."case_number" IS 'Number of the document or case, in whatever format the issuer has.';
COMMENT ON COLUMN core."fssp__proceedings"."doc_date" IS 'Day of the document; not always given.';
COMMENT ON COLUMN core."fssp__proceedings"."court_name" IS 'Body that issued the document; none where the ground is not a court''s.';
CREATE TABLE IF NOT EXISTS core."arbitration" ("version_id" VARCHAR, "inn" VARCHAR, "total_cases" BIGINT, "as_plaintiff" BIGINT, "as_respondent" BIGINT, "as_third" BIGINT, "won" BIGINT, "lost" BIGINT, "total_claim_sum" DECIMAL(18,2));
COMMENT ON TABLE core."arbitration" IS 'Arbitration cases of the company or person: one row, with counts by role and outcome.';
COMMENT ON COLUMN core."arbitration"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."arbitration"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."arbitration"."total_cases" IS 'Cases without duplicates.';
COMMENT ON COLUMN core."arbitration"."as_plaintiff" IS 'Cases as plaintiff.';
COMMENT ON COLUMN core."arbitration"."as_respondent" IS 'Cases as respondent.';
COMMENT ON COLUMN core."arbitration"."as_third" IS 'Cases as third or other party.';
COMMENT ON COLUMN core."arbitration"."won" IS 'Cases won as plaintiff.';
COMMENT ON COLUMN core."arbitration"."lost" IS 'Cases lost as respondent.';
COMMENT ON COLUMN core."arbitration"."total_claim_sum" IS 'Sum of the claims that were extracted. [RUB]';
CREATE TABLE IF NOT EXISTS core."arbitration__cases" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "case_id" VARCHAR, "case_number" VARCHAR, "date" DATE, "type" VARCHAR, "url" VARCHAR, "file_url" VARCHAR, "claim_sum" DECIMAL(18,2), "claim_sum_unavailable" BOOLEAN, "judge" VARCHAR, "court" VARCHAR, "role" VARCHAR, "result" VARCHAR);
COMMENT ON TABLE core."arbitration__cases" IS 'Cases, newest first.';
COMMENT ON COLUMN core."arbitration__cases"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."arbitration__cases"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."arbitration__cases"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases"."case_id" IS 'Identifier of the case card.';
COMMENT ON COLUMN core."arbitration__cases"."case_number" IS 'Number of the case.';
COMMENT ON COLUMN core."arbitration__cases"."date" IS 'Filing date.';
COMMENT ON COLUMN core."arbitration__cases"."type" IS 'Kind of case.';
COMMENT ON COLUMN core."arbitration__cases"."url" IS 'Link to the case card.';
COMMENT ON COLUMN core."arbitration__cases"."file_url" IS 'Link to the court act; almost never given.';
COMMENT ON COLUMN core."arbitration__cases"."claim_sum" IS 'Sum claimed; 0 stands for not extracted. [RUB]';
COMMENT ON COLUMN core."arbitration__cases"."claim_sum_unavailable" IS 'Set when first collected and never cleared: trust claim_sum.';
COMMENT ON COLUMN core."arbitration__cases"."judge" IS 'Judge; practically empty, the name stands inside court.';
COMMENT ON COLUMN core."arbitration__cases"."court" IS 'Court, often with the judge''s name on a line above.';
COMMENT ON COLUMN core."arbitration__cases"."role" IS 'Role of the INN in the case.';
COMMENT ON COLUMN core."arbitration__cases"."result" IS 'Outcome for the INN, once recognised.';
CREATE TABLE IF NOT EXISTS core."arbitration__cases__plaintiffs" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "plaintiffs_no" INTEGER, "name" VARCHAR, "item_inn" VARCHAR);
COMMENT ON TABLE core."arbitration__cases__plaintiffs" IS 'Plaintiffs, at most 10.';
COMMENT ON COLUMN core."arbitration__cases__plaintiffs"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."arbitration__cases__plaintiffs"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."arbitration__cases__plaintiffs"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__plaintiffs"."plaintiffs_no" IS 'Place in plaintiffs, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__plaintiffs"."name" IS 'Name; often with address and INN in the same line.';
COMMENT ON COLUMN core."arbitration__cases__plaintiffs"."item_inn" IS 'INN of the party; almost never given.';
CREATE TABLE IF NOT EXISTS core."arbitration__cases__respondents" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "respondents_no" INTEGER, "name" VARCHAR, "item_inn" VARCHAR);
COMMENT ON TABLE core."arbitration__cases__respondents" IS 'Respondents, at most 10.';
COMMENT ON COLUMN core."arbitration__cases__respondents"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."arbitration__cases__respondents"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."arbitration__cases__respondents"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__respondents"."respondents_no" IS 'Place in respondents, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__respondents"."name" IS 'Name; often with address and INN in the same line.';
COMMENT ON COLUMN core."arbitration__cases__respondents"."item_inn" IS 'INN of the party; almost never given.';
CREATE TABLE IF NOT EXISTS core."arbitration__cases__third_parties" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "third_parties_no" INTEGER, "name" VARCHAR, "address" VARCHAR);
COMMENT ON TABLE core."arbitration__cases__third_parties" IS 'Third parties, at most 10.';
COMMENT ON COLUMN core."arbitration__cases__third_parties"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."arbitration__cases__third_parties"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."arbitration__cases__third_parties"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__third_parties"."third_parties_no" IS 'Place in third_parties, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__third_parties"."name" IS 'Name of the party.';
COMMENT ON COLUMN core."arbitration__cases__third_parties"."address" IS 'Address of the party.';
CREATE TABLE IF NOT EXISTS core."arbitration__cases__other_parties" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "other_parties_no" INTEGER, "name" VARCHAR, "address" VARCHAR);
COMMENT ON TABLE core."arbitration__cases__other_parties" IS 'Other parties; practically empty.';
COMMENT ON COLUMN core."arbitration__cases__other_parties"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."arbitration__cases__other_parties"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."arbitration__cases__other_parties"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__other_parties"."other_parties_no" IS 'Place in other_parties, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__other_parties"."name" IS 'Name of the party.';
COMMENT ON COLUMN core."arbitration__cases__other_parties"."address" IS 'Address of the party.';
CREATE TABLE IF NOT EXISTS core."arbitration__cases__instances" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "instances_no" INTEGER, "name" VARCHAR);
COMMENT ON TABLE core."arbitration__cases__instances" IS 'Instances, at most 5; filled on enrichment.';
COMMENT ON COLUMN core."arbitration__cases__instances"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."arbitration__cases__instances"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."arbitration__cases__instances"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__instances"."instances_no" IS 'Place in instances, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__instances"."name" IS 'Name of the instance.';
CREATE TABLE IF NOT EXISTS core."arbitration__cases__instances__events" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "instances_no" INTEGER, "events_no" INTEGER, "date" DATE, "description" VARCHAR);
COMMENT ON TABLE core."arbitration__cases__instances__events" IS 'Steps in this instance.';
COMMENT ON COLUMN core."arbitration__cases__instances__events"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."arbitration__cases__instances__events"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."arbitration__cases__instances__events"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__instances__events"."instances_no" IS 'Place in instances, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__instances__events"."events_no" IS 'Place in events, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__instances__events"."date" IS 'Day of the step.';
COMMENT ON COLUMN core."arbitration__cases__instances__events"."description" IS 'What happened.';
CREATE TABLE IF NOT EXISTS core."arbitration__cases__movements" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "movements_no" INTEGER, "date" DATE, "description" VARCHAR);
COMMENT ON TABLE core."arbitration__cases__movements" IS 'Steps of the case without instances, at most 20.';
COMMENT ON COLUMN core."arbitration__cases__movements"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."arbitration__cases__movements"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."arbitration__cases__movements"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__movements"."movements_no" IS 'Place in movements, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__movements"."date" IS 'Day of the step.';
COMMENT ON COLUMN core."arbitration__cases__movements"."description" IS 'What happened.';
CREATE TABLE IF NOT EXISTS core."arbitration__cases__plaintiff_inns" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "plaintiff_inns_no" INTEGER, "value" VARCHAR);
COMMENT ON TABLE core."arbitration__cases__plaintiff_inns" IS 'INNs of plaintiffs; practically empty.';
COMMENT ON COLUMN core."arbitration__cases__plaintiff_inns"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."arbitration__cases__plaintiff_inns"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."arbitration__cases__plaintiff_inns"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__plaintiff_inns"."plaintiff_inns_no" IS 'Place in plaintiff_inns, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__plaintiff_inns"."value" IS 'INNs of plaintiffs; practically empty.';
CREATE TABLE IF NOT EXISTS core."arbitration__cases__respondent_inns" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "respondent_inns_no" INTEGER, "value" VARCHAR);
COMMENT ON TABLE core."arbitration__cases__respondent_inns" IS 'INNs of respondents; practically empty.';
COMMENT ON COLUMN core."arbitration__cases__respondent_inns"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."arbitration__cases__respondent_inns"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."arbitration__cases__respondent_inns"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__respondent_inns"."respondent_inns_no" IS 'Place in respondent_inns, counted from 1.';
COMMENT ON COLUMN core."arbitration__cases__respondent_inns"."value" IS 'INNs of respondents; practically empty.';
CREATE TABLE IF NOT EXISTS core."bankruptcy" ("version_id" VARCHAR, "inn" VARCHAR, "has_bankruptcy" BOOLEAN, "has_intention" BOOLEAN, "status" VARCHAR, "total_cases" BIGINT);
COMMENT ON TABLE core."bankruptcy" IS 'Bankruptcy of the company or the person: one row, with the heaviest stage.';
COMMENT ON COLUMN core."bankruptcy"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."bankruptcy"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."bankruptcy"."has_bankruptcy" IS 'Whether a bankruptcy stage was recognised; a card alone is none.';
COMMENT ON COLUMN core."bankruptcy"."has_intention" IS 'Whether a notice of the intention to go to court is published.';
COMMENT ON COLUMN core."bankruptcy"."status" IS 'Heaviest stage recognised.';
COMMENT ON COLUMN core."bankruptcy"."total_cases" IS 'Debtor cards found, not bankruptcy cases.';
CREATE TABLE IF NOT EXISTS core."bankruptcy__cases" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "status" VARCHAR, "status_raw" VARCHAR, "name" VARCHAR, "item_inn" VARCHAR, "ogrn" VARCHAR, "region" VARCHAR, "case_number" VARCHAR, "arbitration_manager_name" VARCHAR, "arbitration_manager_guid" VARCHAR, "arbitration_manager_type" VARCHAR, "update_date" TIMESTAMP);
COMMENT ON TABLE core."bankruptcy__cases" IS 'Debtor cards, usually one.';
COMMENT ON COLUMN core."bankruptcy__cases"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."bankruptcy__cases"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."bankruptcy__cases"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."bankruptcy__cases"."status" IS 'Recognised stage, or the start of the source''s wording in lower case.';
COMMENT ON COLUMN core."bankruptcy__cases"."status_raw" IS 'Stage as the source words it.';
COMMENT ON COLUMN core."bankruptcy__cases"."name" IS 'Debtor''s name on the card.';
COMMENT ON COLUMN core."bankruptcy__cases"."item_inn" IS 'Debtor''s INN on the card.';
COMMENT ON COLUMN core."bankruptcy__cases"."ogrn" IS 'Debtor''s registration number on the card.';
COMMENT ON COLUMN core."bankruptcy__cases"."region" IS 'Region; usually not given.';
COMMENT ON COLUMN core."bankruptcy__cases"."case_number" IS 'Number of the arbitration-court case, where a publication has one.';
COMMENT ON COLUMN core."bankruptcy__cases"."arbitration_manager_name" IS 'Name of the arbitration manager.';
COMMENT ON COLUMN core."bankruptcy__cases"."arbitration_manager_guid" IS 'Identifier of the manager in the bankruptcy register.';
COMMENT ON COLUMN core."bankruptcy__cases"."arbitration_manager_type" IS 'Whether the manager is a person or a company.';
COMMENT ON COLUMN core."bankruptcy__cases"."update_date" IS 'Last change of the card. [UTC]';
CREATE TABLE IF NOT EXISTS core."contracts" ("version_id" VARCHAR, "inn" VARCHAR, "total_contracts" BIGINT, "total_amount" DECIMAL(18,2), "supplier_amount" DECIMAL(18,2), "customer_amount" DECIMAL(18,2), "as_supplier" BIGINT, "as_customer" BIGINT, "fz44_contracts" BIGINT);
COMMENT ON TABLE core."contracts" IS 'State contracts of the company as supplier and customer: one row, with counts and amounts by role.';
COMMENT ON COLUMN core."contracts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."contracts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."contracts"."total_contracts" IS 'Contracts in this answer; 5000 is the cap and says at least so many.';
COMMENT ON COLUMN core."contracts"."total_amount" IS 'Prices of the contracts in both roles. [RUB]';
COMMENT ON COLUMN core."contracts"."supplier_amount" IS 'Prices of the contracts as supplier. [RUB]';
COMMENT ON COLUMN core."contracts"."customer_amount" IS 'Prices of the contracts as customer. [RUB]';
COMMENT ON COLUMN core."contracts"."as_supplier" IS 'Contracts as supplier.';
COMMENT ON COLUMN core."contracts"."as_customer" IS 'Contracts as customer.';
COMMENT ON COLUMN core."contracts"."fz44_contracts" IS 'Contracts under law 44.';
CREATE TABLE IF NOT EXISTS core."contracts__contracts" ("version_id" VARCHAR, "inn" VARCHAR, "contracts_no" INTEGER, "reg_num" VARCHAR, "subject" VARCHAR, "amount" DECIMAL(18,2), "paid_sum" DECIMAL(18,2), "sign_date" DATE, "contract_stage" VARCHAR, "okpd2_code" VARCHAR, "okpd2_name" VARCHAR, "delivery_place" VARCHAR, "customer_name" VARCHAR, "customer_inn" VARCHAR, "supplier_name" VARCHAR, "supplier_inn" VARCHAR, "role" VARCHAR, "law" VARCHAR, "source" VARCHAR, "url" VARCHAR);
COMMENT ON TABLE core."contracts__contracts" IS 'Contracts, at most 5000.';
COMMENT ON COLUMN core."contracts__contracts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."contracts__contracts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."contracts__contracts"."contracts_no" IS 'Place in contracts, counted from 1.';
COMMENT ON COLUMN core."contracts__contracts"."reg_num" IS 'Number in the register of contracts.';
COMMENT ON COLUMN core."contracts__contracts"."subject" IS 'Subject.';
COMMENT ON COLUMN core."contracts__contracts"."amount" IS 'Price. [RUB]';
COMMENT ON COLUMN core."contracts__contracts"."paid_sum" IS 'Payment planned for the current year, not what was paid; given for one contract in fifty. [RUB]';
COMMENT ON COLUMN core."contracts__contracts"."sign_date" IS 'Day of signing.';
COMMENT ON COLUMN core."contracts__contracts"."contract_stage" IS 'Stage, a code of the register; practically never given.';
COMMENT ON COLUMN core."contracts__contracts"."okpd2_code" IS 'Product classifier code of the dearest position.';
COMMENT ON COLUMN core."contracts__contracts"."okpd2_name" IS 'Name of that code.';
COMMENT ON COLUMN core."contracts__contracts"."delivery_place" IS 'Place of delivery; rarely given.';
COMMENT ON COLUMN core."contracts__contracts"."customer_name" IS 'Customer.';
COMMENT ON COLUMN core."contracts__contracts"."customer_inn" IS 'INN of the customer.';
COMMENT ON COLUMN core."contracts__contracts"."supplier_name" IS 'Supplier.';
COMMENT ON COLUMN core."contracts__contracts"."supplier_inn" IS 'INN of the supplier: 10 digits, 12 for a sole proprietor.';
COMMENT ON COLUMN core."contracts__contracts"."role" IS 'Role of the INN asked.';
COMMENT ON COLUMN core."contracts__contracts"."law" IS 'Law of the purchase; for now fz44 alone.';
COMMENT ON COLUMN core."contracts__contracts"."source" IS 'Channel that brought it; eis_procurement is the official one.';
COMMENT ON COLUMN core."contracts__contracts"."url" IS 'Link to the contract card.';
CREATE TABLE IF NOT EXISTS core."contracts__contracts__products" ("version_id" VARCHAR, "inn" VARCHAR, "contracts_no" INTEGER, "products_no" INTEGER, "okpd2_code" VARCHAR, "okpd2_name" VARCHAR, "name" VARCHAR, "quantity" DOUBLE, "unit" VARCHAR, "price" DECIMAL(18,2), "total_sum" DECIMAL(18,2));
COMMENT ON TABLE core."contracts__contracts__products" IS 'Positions of the specification; given for one contract in fifty.';
COMMENT ON COLUMN core."contracts__contracts__products"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."contracts__contracts__products"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."contracts__contracts__products"."contracts_no" IS 'Place in contracts, counted from 1.';
COMMENT ON COLUMN core."contracts__contracts__products"."products_no" IS 'Place in products, counted from 1.';
COMMENT ON COLUMN core."contracts__contracts__products"."okpd2_code" IS 'Product classifier code.';
COMMENT ON COLUMN core."contracts__contracts__products"."okpd2_name" IS 'Name of that code.';
COMMENT ON COLUMN core."contracts__contracts__products"."name" IS 'Name of the position.';
COMMENT ON COLUMN core."contracts__contracts__products"."quantity" IS 'Quantity, in units; may be 0.';
COMMENT ON COLUMN core."contracts__contracts__products"."unit" IS 'Unit of measure; often not given.';
COMMENT ON COLUMN core."contracts__contracts__products"."price" IS 'Price of one unit. [RUB]';
COMMENT ON COLUMN core."contracts__contracts__products"."total_sum" IS 'Price of the position. [RUB]';
CREATE TABLE IF NOT EXISTS core."contracts__by_year" ("version_id" VARCHAR, "inn" VARCHAR, "year" BIGINT, "count" BIGINT, "amount" DECIMAL(18,2));
COMMENT ON TABLE core."contracts__by_year" IS 'Contracts by the year of signing.';
COMMENT ON COLUMN core."contracts__by_year"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."contracts__by_year"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."contracts__by_year"."year" IS 'Year of signing.';
COMMENT ON COLUMN core."contracts__by_year"."count" IS 'Contracts signed in it.';
COMMENT ON COLUMN core."contracts__by_year"."amount" IS 'Their prices together. [RUB]';
CREATE TABLE IF NOT EXISTS core."financial" ("version_id" VARCHAR, "inn" VARCHAR, "has_data" BOOLEAN, "okpo" VARCHAR, "employee_count" BIGINT);
COMMENT ON TABLE core."financial" IS 'Financial statements: one row per company; amounts are in the tables of indicators and lines.';
COMMENT ON COLUMN core."financial"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."financial"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."financial"."has_data" IS 'Whether statements were found.';
COMMENT ON COLUMN core."financial"."okpo" IS 'Statistics code of the enterprise; almost never given.';
COMMENT ON COLUMN core."financial"."employee_count" IS 'Headcount; 0 stands for not obtained.';
CREATE TABLE IF NOT EXISTS core."financial__years" ("version_id" VARCHAR, "inn" VARCHAR, "years_no" INTEGER, "value" BIGINT);
COMMENT ON TABLE core."financial__years" IS 'Years with data.';
COMMENT ON COLUMN core."financial__years"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."financial__years"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."financial__years"."years_no" IS 'Place in years, counted from 1.';
COMMENT ON COLUMN core."financial__years"."value" IS 'Years with data.';
CREATE TABLE IF NOT EXISTS core."financial__employees_history" ("version_id" VARCHAR, "inn" VARCHAR, "employees_history_no" INTEGER, "year" BIGINT, "count" BIGINT);
COMMENT ON TABLE core."financial__employees_history" IS 'Headcount by year; almost never given.';
COMMENT ON COLUMN core."financial__employees_history"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."financial__employees_history"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."financial__employees_history"."employees_history_no" IS 'Place in employees_history, counted from 1.';
COMMENT ON COLUMN core."financial__employees_history"."year" IS 'Year.';
COMMENT ON COLUMN core."financial__employees_history"."count" IS 'Headcount.';
CREATE TABLE IF NOT EXISTS core."financial__indicators" ("version_id" VARCHAR, "inn" VARCHAR, "year" BIGINT, "indicator" VARCHAR, "amount" DECIMAL(18,2));
COMMENT ON TABLE core."financial__indicators" IS 'One indicator of one year.';
COMMENT ON COLUMN core."financial__indicators"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."financial__indicators"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."financial__indicators"."year" IS 'Year of the statements.';
COMMENT ON COLUMN core."financial__indicators"."indicator" IS 'Name of the indicator, as the service names it.';
COMMENT ON COLUMN core."financial__indicators"."amount" IS 'Its amount. [RUB]';
CREATE TABLE IF NOT EXISTS core."financial__tax_burden_pct" ("version_id" VARCHAR, "inn" VARCHAR, "year" BIGINT, "value" DOUBLE);
COMMENT ON TABLE core."financial__tax_burden_pct" IS 'Tax burden, in the years in which both lines are known.';
COMMENT ON COLUMN core."financial__tax_burden_pct"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."financial__tax_burden_pct"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."financial__tax_burden_pct"."year" IS 'Year of the statements.';
COMMENT ON COLUMN core."financial__tax_burden_pct"."value" IS 'Taxes paid (line 4124) as a share of revenue (line 2110), to hundredths. [%]';
CREATE TABLE IF NOT EXISTS core."financial__lines" ("version_id" VARCHAR, "inn" VARCHAR, "form" VARCHAR, "year" BIGINT, "line_code" VARCHAR, "amount" DECIMAL(18,2));
COMMENT ON TABLE core."financial__lines" IS 'One line of one form of one year.';
COMMENT ON COLUMN core."financial__lines"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."financial__lines"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."financial__lines"."form" IS 'Form of the statements.';
COMMENT ON COLUMN core."financial__lines"."year" IS 'Year of the statements.';
COMMENT ON COLUMN core."financial__lines"."line_code" IS 'Code of the line.';
COMMENT ON COLUMN core."financial__lines"."amount" IS 'Its amount. [RUB]';
CREATE TABLE IF NOT EXISTS core."pledges" ("version_id" VARCHAR, "inn" VARCHAR, "total_pledges" BIGINT);
COMMENT ON TABLE core."pledges" IS 'Notices of pledge and leasing: one row per company, with the number that the source claims.';
COMMENT ON COLUMN core."pledges"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."pledges"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."pledges"."total_pledges" IS 'Notices that the source claims, leasing included; may exceed those fetched.';
CREATE TABLE IF NOT EXISTS core."pledges__pledges" ("version_id" VARCHAR, "inn" VARCHAR, "pledges_no" INTEGER, "id" VARCHAR, "reg_date" DATE, "source" VARCHAR);
COMMENT ON TABLE core."pledges__pledges" IS 'Notices fetched.';
COMMENT ON COLUMN core."pledges__pledges"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."pledges__pledges"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."pledges__pledges"."pledges_no" IS 'Place in pledges, counted from 1.';
COMMENT ON COLUMN core."pledges__pledges"."id" IS 'Number of the notice: groups joined by hyphens for notaries, digits alone for leasing.';
COMMENT ON COLUMN core."pledges__pledges"."reg_date" IS 'Day of registration.';
COMMENT ON COLUMN core."pledges__pledges"."source" IS 'Register: notary for pledges, fedresurs for leasing.';
CREATE TABLE IF NOT EXISTS core."pledges__pledges__pledgors" ("version_id" VARCHAR, "inn" VARCHAR, "pledges_no" INTEGER, "pledgors_no" INTEGER, "name" VARCHAR);
COMMENT ON TABLE core."pledges__pledges__pledgors" IS 'Who gave it: one for leasing, none for notaries.';
COMMENT ON COLUMN core."pledges__pledges__pledgors"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."pledges__pledges__pledgors"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."pledges__pledges__pledgors"."pledges_no" IS 'Place in pledges, counted from 1.';
COMMENT ON COLUMN core."pledges__pledges__pledgors"."pledgors_no" IS 'Place in pledgors, counted from 1.';
COMMENT ON COLUMN core."pledges__pledges__pledgors"."name" IS 'Word for the role, not the name of anybody.';
CREATE TABLE IF NOT EXISTS core."pledges__pledges__pledgees" ("version_id" VARCHAR, "inn" VARCHAR, "pledges_no" INTEGER, "pledgees_no" INTEGER, "name" VARCHAR);
COMMENT ON TABLE core."pledges__pledges__pledgees" IS 'Who holds it: one for leasing, none for notaries.';
COMMENT ON COLUMN core."pledges__pledges__pledgees"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."pledges__pledges__pledgees"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."pledges__pledges__pledgees"."pledges_no" IS 'Place in pledges, counted from 1.';
COMMENT ON COLUMN core."pledges__pledges__pledgees"."pledgees_no" IS 'Place in pledgees, counted from 1.';
COMMENT ON COLUMN core."pledges__pledges__pledgees"."name" IS 'Word for the role, not the name of anybody.';
CREATE TABLE IF NOT EXISTS core."pledges__pledges__properties" ("version_id" VARCHAR, "inn" VARCHAR, "pledges_no" INTEGER, "properties_no" INTEGER, "description" VARCHAR);
COMMENT ON TABLE core."pledges__pledges__properties" IS 'Things pledged or leased, from none to several hundred.';
COMMENT ON COLUMN core."pledges__pledges__properties"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."pledges__pledges__properties"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."pledges__pledges__properties"."pledges_no" IS 'Place in pledges, counted from 1.';
COMMENT ON COLUMN core."pledges__pledges__properties"."properties_no" IS 'Place in properties, counted from 1.';
COMMENT ON COLUMN core."pledges__pledges__properties"."description" IS 'Description, with the vehicle''s number inside.';
CREATE TABLE IF NOT EXISTS core."inspections" ("version_id" VARCHAR, "inn" VARCHAR, "total" BIGINT, "completed" BIGINT, "with_violations" BIGINT, "planned" BIGINT, "unplanned" BIGINT);
COMMENT ON TABLE core."inspections" IS 'Inspections of the company: one row, with counts; all but the total count the cards fetched.';
COMMENT ON COLUMN core."inspections"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."inspections"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."inspections"."total" IS 'Inspections that the register announces; may be far more than those fetched.';
COMMENT ON COLUMN core."inspections"."completed" IS 'Completed ones among those fetched.';
COMMENT ON COLUMN core."inspections"."with_violations" IS 'Ones with violations among those fetched.';
COMMENT ON COLUMN core."inspections"."planned" IS 'Planned ones among those fetched.';
COMMENT ON COLUMN core."inspections"."unplanned" IS 'Unplanned ones among those fetched.';
CREATE TABLE IF NOT EXISTS core."inspections__inspections" ("version_id" VARCHAR, "inn" VARCHAR, "inspections_no" INTEGER, "number" VARCHAR, "type" VARCHAR, "method" VARCHAR, "start_date" DATE, "end_date" DATE, "authority" VARCHAR, "status" VARCHAR, "has_violations" BOOLEAN, "purpose" VARCHAR, "violations_text" VARCHAR);
COMMENT ON TABLE core."inspections__inspections" IS 'Inspections fetched; the source caps their number.';
COMMENT ON COLUMN core."inspections__inspections"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."inspections__inspections"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."inspections__inspections"."inspections_no" IS 'Place in inspections, counted from 1.';
COMMENT ON COLUMN core."inspections__inspections"."number" IS 'Number in the register; its first two digits are the region.';
COMMENT ON COLUMN core."inspections__inspections"."type" IS 'Whether it was planned.';
COMMENT ON COLUMN core."inspections__inspections"."method" IS 'On site, by papers, or both.';
COMMENT ON COLUMN core."inspections__inspections"."start_date" IS 'First day.';
COMMENT ON COLUMN core."inspections__inspections"."end_date" IS 'Last day; almost never given.';
COMMENT ON COLUMN core."inspections__inspections"."authority" IS 'Body that inspects; almost never given.';
COMMENT ON COLUMN core."inspections__inspections"."status" IS 'Status as the register words it.';
COMMENT ON COLUMN core."inspections__inspections"."has_violations" IS 'Whether violations were found.';
COMMENT ON COLUMN core."inspections__inspections"."purpose" IS 'Subject and purpose, with the acts referred to.';
COMMENT ON COLUMN core."inspections__inspections"."violations_text" IS 'Violations found; almost never given.';
CREATE TABLE IF NOT EXISTS core."risk_flags" ("version_id" VARCHAR, "inn" VARCHAR, "mass_director" BOOLEAN, "mass_founder" BOOLEAN, "mass_address" BOOLEAN, "disqualified_persons" BOOLEAN, "authorized_capital" DECIMAL(18,2), "status_name" VARCHAR, "employee_count" BIGINT, "sme_category" VARCHAR);
COMMENT ON TABLE core."risk_flags" IS 'Risk flags of the company: one row; the full check carries the flags, the disqualified and the linked alone.';
COMMENT ON COLUMN core."risk_flags"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."risk_flags"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."risk_flags"."mass_director" IS 'The manager heads five entities or more.';
COMMENT ON COLUMN core."risk_flags"."mass_founder" IS 'A founder takes part in five entities or more.';
COMMENT ON COLUMN core."risk_flags"."mass_address" IS 'The address is a mass-registration address.';
COMMENT ON COLUMN core."risk_flags"."disqualified_persons" IS 'A manager or founder of today is disqualified.';
COMMENT ON COLUMN core."risk_flags"."authorized_capital" IS 'Authorized capital; 0 stands for no data. [RUB]';
COMMENT ON COLUMN core."risk_flags"."status_name" IS 'Status in words; none where it could not be told.';
COMMENT ON COLUMN core."risk_flags"."employee_count" IS 'Headcount; 0 stands for no data.';
COMMENT ON COLUMN core."risk_flags"."sme_category" IS 'Small-business category; the block msp is surer.';
CREATE TABLE IF NOT EXISTS core."risk_flags__disqualified_records" ("version_id" VARCHAR, "inn" VARCHAR, "disqualified_records_no" INTEGER, "queried_name" VARCHAR, "matched_name" VARCHAR, "birth_date" DATE, "company" VARCHAR, "position" VARCHAR, "offence" VARCHAR, "start_date" DATE, "end_date" DATE, "term" VARCHAR);
COMMENT ON TABLE core."risk_flags__disqualified_records" IS 'Disqualified persons.';
COMMENT ON COLUMN core."risk_flags__disqualified_records"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."risk_flags__disqualified_records"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."risk_flags__disqualified_records"."disqualified_records_no" IS 'Place in disqualified_records, counted from 1.';
COMMENT ON COLUMN core."risk_flags__disqualified_records"."queried_name" IS 'Name that was looked for.';
COMMENT ON COLUMN core."risk_flags__disqualified_records"."matched_name" IS 'Name in the register of disqualified persons.';
COMMENT ON COLUMN core."risk_flags__disqualified_records"."birth_date" IS 'Day of birth.';
COMMENT ON COLUMN core."risk_flags__disqualified_records"."company" IS 'Company in which the offence was committed.';
COMMENT ON COLUMN core."risk_flags__disqualified_records"."position" IS 'Position held there.';
COMMENT ON COLUMN core."risk_flags__disqualified_records"."offence" IS 'Offence.';
COMMENT ON COLUMN core."risk_flags__disqualified_records"."start_date" IS 'First day of the disqualification.';
COMMENT ON COLUMN core."risk_flags__disqualified_records"."end_date" IS 'Last day of the disqualification.';
COMMENT ON COLUMN core."risk_flags__disqualified_records"."term" IS 'Term in words.';
CREATE TABLE IF NOT EXISTS core."risk_flags__employees_history" ("version_id" VARCHAR, "inn" VARCHAR, "employees_history_no" INTEGER, "year" BIGINT, "count" BIGINT);
COMMENT ON TABLE core."risk_flags__employees_history" IS 'Headcount by year, the latest first.';
COMMENT ON COLUMN core."risk_flags__employees_history"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."risk_flags__employees_history"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."risk_flags__employees_history"."employees_history_no" IS 'Place in employees_history, counted from 1.';
COMMENT ON COLUMN core."risk_flags__employees_history"."year" IS 'Year of the average.';
COMMENT ON COLUMN core."risk_flags__employees_history"."count" IS 'Average headcount of that year.';
CREATE TABLE IF NOT EXISTS core."risk_flags__founder_shares" ("version_id" VARCHAR, "inn" VARCHAR, "founder_shares_no" INTEGER, "name" VARCHAR, "item_inn" VARCHAR, "share_pct" DOUBLE, "share_rub" DECIMAL(18,2), "date" DATE);
COMMENT ON TABLE core."risk_flags__founder_shares" IS 'Founders with shares.';
COMMENT ON COLUMN core."risk_flags__founder_shares"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."risk_flags__founder_shares"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."risk_flags__founder_shares"."founder_shares_no" IS 'Place in founder_shares, counted from 1.';
COMMENT ON COLUMN core."risk_flags__founder_shares"."name" IS 'Name of the founder.';
COMMENT ON COLUMN core."risk_flags__founder_shares"."item_inn" IS 'INN: 12 digits for a person, 10 for a company; not always known.';
COMMENT ON COLUMN core."risk_flags__founder_shares"."share_pct" IS 'Share of the authorized capital; 0 stands for not disclosed. [%]';
COMMENT ON COLUMN core."risk_flags__founder_shares"."share_rub" IS 'Nominal value of the share; 0 stands for not disclosed. [RUB]';
COMMENT ON COLUMN core."risk_flags__founder_shares"."date" IS 'Day the share was entered; almost never given.';
CREATE TABLE IF NOT EXISTS core."risk_flags__okved_list" ("version_id" VARCHAR, "inn" VARCHAR, "okved_list_no" INTEGER, "code" VARCHAR, "name" VARCHAR);
COMMENT ON TABLE core."risk_flags__okved_list" IS 'Activities, at most 100.';
COMMENT ON COLUMN core."risk_flags__okved_list"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."risk_flags__okved_list"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."risk_flags__okved_list"."okved_list_no" IS 'Place in okved_list, counted from 1.';
COMMENT ON COLUMN core."risk_flags__okved_list"."code" IS 'Activity code.';
COMMENT ON COLUMN core."risk_flags__okved_list"."name" IS 'Name of the activity; not always given.';
CREATE TABLE IF NOT EXISTS core."risk_flags__efrsb_messages" ("version_id" VARCHAR, "inn" VARCHAR, "efrsb_messages_no" INTEGER, "type" VARCHAR, "date" TIMESTAMP, "text" VARCHAR, "number" VARCHAR, "publisher" VARCHAR);
COMMENT ON TABLE core."risk_flags__efrsb_messages" IS 'Publications of the bankruptcy register, the latest 20.';
COMMENT ON COLUMN core."risk_flags__efrsb_messages"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."risk_flags__efrsb_messages"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."risk_flags__efrsb_messages"."efrsb_messages_no" IS 'Place in efrsb_messages, counted from 1.';
COMMENT ON COLUMN core."risk_flags__efrsb_messages"."type" IS 'Kind of publication.';
COMMENT ON COLUMN core."risk_flags__efrsb_messages"."date" IS 'When it was published. [UTC]';
COMMENT ON COLUMN core."risk_flags__efrsb_messages"."text" IS 'Text of the publication.';
COMMENT ON COLUMN core."risk_flags__efrsb_messages"."number" IS 'Number of the publication.';
COMMENT ON COLUMN core."risk_flags__efrsb_messages"."publisher" IS 'Who published it.';
CREATE TABLE IF NOT EXISTS core."risk_flags__linked_companies" ("version_id" VARCHAR, "inn" VARCHAR, "linked_companies_no" INTEGER, "item_inn" VARCHAR, "ogrn" VARCHAR, "name" VARCHAR, "status" VARCHAR, "role" VARCHAR, "via_name" VARCHAR, "via_inn" VARCHAR, "historic" BOOLEAN, "source" VARCHAR);
COMMENT ON TABLE core."risk_flags__linked_companies" IS 'Linked companies; at most 15 persons are followed, and 250 links.';
COMMENT ON COLUMN core."risk_flags__linked_companies"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."risk_flags__linked_companies"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."risk_flags__linked_companies"."linked_companies_no" IS 'Place in linked_companies, counted from 1.';
COMMENT ON COLUMN core."risk_flags__linked_companies"."item_inn" IS 'INN of the linked company.';
COMMENT ON COLUMN core."risk_flags__linked_companies"."ogrn" IS 'Registration number of the linked company.';
COMMENT ON COLUMN core."risk_flags__linked_companies"."name" IS 'Name of the linked company.';
COMMENT ON COLUMN core."risk_flags__linked_companies"."status" IS 'Status of the linked company.';
COMMENT ON COLUMN core."risk_flags__linked_companies"."role" IS 'учредитель, руководит or связан, else as the source words it.';
COMMENT ON COLUMN core."risk_flags__linked_companies"."via_name" IS 'Person or company through whom it is linked.';
COMMENT ON COLUMN core."risk_flags__linked_companies"."via_inn" IS 'INN of that person or company.';
COMMENT ON COLUMN core."risk_flags__linked_companies"."historic" IS 'Whether the linked company is liquidated or inactive.';
COMMENT ON COLUMN core."risk_flags__linked_companies"."source" IS 'Register that knows it; always the same.';
CREATE TABLE IF NOT EXISTS core."risk_flags__linked_companies__connections" ("version_id" VARCHAR, "inn" VARCHAR, "linked_companies_no" INTEGER, "connections_no" INTEGER, "role" VARCHAR, "via_name" VARCHAR, "via_inn" VARCHAR, "source" VARCHAR);
COMMENT ON TABLE core."risk_flags__linked_companies__connections" IS 'Facts that link them, one each.';
COMMENT ON COLUMN core."risk_flags__linked_companies__connections"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."risk_flags__linked_companies__connections"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."risk_flags__linked_companies__connections"."linked_companies_no" IS 'Place in linked_companies, counted from 1.';
COMMENT ON COLUMN core."risk_flags__linked_companies__connections"."connections_no" IS 'Place in connections, counted from 1.';
COMMENT ON COLUMN core."risk_flags__linked_companies__connections"."role" IS 'Role of the person in the linked company.';
COMMENT ON COLUMN core."risk_flags__linked_companies__connections"."via_name" IS 'Person or company through whom they are linked.';
COMMENT ON COLUMN core."risk_flags__linked_companies__connections"."via_inn" IS 'INN of that person or company.';
COMMENT ON COLUMN core."risk_flags__linked_companies__connections"."source" IS 'Register that knows it.';
CREATE TABLE IF NOT EXISTS core."rnp" ("version_id" VARCHAR, "inn" VARCHAR, "total" BIGINT, "active" BIGINT, "historic" BIGINT);
COMMENT ON TABLE core."rnp" IS 'Entries in the register of unfair suppliers: one row per company, with counts.';
COMMENT ON COLUMN core."rnp"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."rnp"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."rnp"."total" IS 'Confirmed entries, at most 30.';
COMMENT ON COLUMN core."rnp"."active" IS 'Entries in force.';
COMMENT ON COLUMN core."rnp"."historic" IS 'Excluded entries.';
CREATE TABLE IF NOT EXISTS core."rnp__records" ("version_id" VARCHAR, "inn" VARCHAR, "records_no" INTEGER, "reg_number" VARCHAR, "law" VARCHAR, "supplier_name" VARCHAR, "supplier_inn" VARCHAR, "inclusion_date" DATE, "exclusion_date" DATE, "status" VARCHAR, "reason" VARCHAR, "fas_authority" VARCHAR, "decision_number" VARCHAR, "decision_date" DATE, "detail_url" VARCHAR);
COMMENT ON TABLE core."rnp__records" IS 'Entries that were looked at in detail, at most 30.';
COMMENT ON COLUMN core."rnp__records"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."rnp__records"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."rnp__records"."records_no" IS 'Place in records, counted from 1.';
COMMENT ON COLUMN core."rnp__records"."reg_number" IS 'Number of the entry; led by a Cyrillic Р, save under law 44.';
COMMENT ON COLUMN core."rnp__records"."law" IS 'Legal ground.';
COMMENT ON COLUMN core."rnp__records"."supplier_name" IS 'Supplier, cut off with an ellipsis after 300 characters.';
COMMENT ON COLUMN core."rnp__records"."supplier_inn" IS 'INN on the card, which law 223 has none of; the search was by INN in any case.';
COMMENT ON COLUMN core."rnp__records"."inclusion_date" IS 'Day of inclusion.';
COMMENT ON COLUMN core."rnp__records"."exclusion_date" IS 'Day for which exclusion is planned; usually not given.';
COMMENT ON COLUMN core."rnp__records"."status" IS 'In force or excluded; in force where the card does not tell.';
COMMENT ON COLUMN core."rnp__records"."reason" IS 'Reason of the inclusion, cut off after 300 characters.';
COMMENT ON COLUMN core."rnp__records"."fas_authority" IS 'Body that included it, cut off after 300 characters.';
COMMENT ON COLUMN core."rnp__records"."decision_number" IS 'Number of the decision; not always given.';
COMMENT ON COLUMN core."rnp__records"."decision_date" IS 'Day of the decision; not always given.';
COMMENT ON COLUMN core."rnp__records"."detail_url" IS 'Link to the card of the entry.';
CREATE TABLE IF NOT EXISTS core."sanctions" ("version_id" VARCHAR, "inn" VARCHAR, "name" VARCHAR);
COMMENT ON TABLE core."sanctions" IS 'Matches in sanctions lists: one row per company or person.';
COMMENT ON COLUMN core."sanctions"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."sanctions"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."sanctions"."name" IS 'Name that was looked for, as the company register has it.';
CREATE TABLE IF NOT EXISTS core."sanctions__hits" ("version_id" VARCHAR, "inn" VARCHAR, "hits_no" INTEGER, "source" VARCHAR, "list_label" VARCHAR, "name" VARCHAR, "name_ru" VARCHAR, "item_inn" VARCHAR, "dob" VARCHAR, "program" VARCHAR, "designated_at" DATE, "address" VARCHAR, "match_confidence" VARCHAR, "raw_id" VARCHAR);
COMMENT ON TABLE core."sanctions__hits" IS 'Matches; those of low confidence, at most 25, only where nothing matched exactly.';
COMMENT ON COLUMN core."sanctions__hits"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."sanctions__hits"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."sanctions__hits"."hits_no" IS 'Place in hits, counted from 1.';
COMMENT ON COLUMN core."sanctions__hits"."source" IS 'Code of the list.';
COMMENT ON COLUMN core."sanctions__hits"."list_label" IS 'Name of the list.';
COMMENT ON COLUMN core."sanctions__hits"."name" IS 'Name as the list spells it, mostly in Latin letters.';
COMMENT ON COLUMN core."sanctions__hits"."name_ru" IS 'Name in Cyrillic, where the list has it.';
COMMENT ON COLUMN core."sanctions__hits"."item_inn" IS 'INN in the list; rarely given.';
COMMENT ON COLUMN core."sanctions__hits"."dob" IS 'Birth date of a person, as the list spells it: it may be a year or approximate.';
COMMENT ON COLUMN core."sanctions__hits"."program" IS 'Code of the programme, up to 200 characters.';
COMMENT ON COLUMN core."sanctions__hits"."designated_at" IS 'Day of the listing; often not given.';
COMMENT ON COLUMN core."sanctions__hits"."address" IS 'Address in the list, up to 300 characters.';
COMMENT ON COLUMN core."sanctions__hits"."match_confidence" IS 'high: by INN; medium: by the whole name; low: by words, to be checked by eye.';
COMMENT ON COLUMN core."sanctions__hits"."raw_id" IS 'Identifier of the entry in its list.';
CREATE TABLE IF NOT EXISTS core."licenses" ("version_id" VARCHAR, "inn" VARCHAR, "total" BIGINT);
COMMENT ON TABLE core."licenses" IS 'Licences of the company: one row, with their number.';
COMMENT ON COLUMN core."licenses"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."licenses"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."licenses"."total" IS 'Licences of both regulators.';
CREATE TABLE IF NOT EXISTS core."licenses__health" ("version_id" VARCHAR, "inn" VARCHAR, "health_no" INTEGER, "source" VARCHAR, "license_number" VARCHAR, "license_date" DATE, "activity_type" VARCHAR, "licensee_name" VARCHAR, "licensee_inn" VARCHAR, "licensee_ogrn" VARCHAR, "address" VARCHAR, "order_date" VARCHAR, "order_number" VARCHAR, "work_address" VARCHAR, "status" VARCHAR);
COMMENT ON TABLE core."licenses__health" IS 'Licences of the health regulator.';
COMMENT ON COLUMN core."licenses__health"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."licenses__health"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."licenses__health"."health_no" IS 'Place in health, counted from 1.';
COMMENT ON COLUMN core."licenses__health"."source" IS 'Register: medicines, narcotics, or upkeep of medical devices.';
COMMENT ON COLUMN core."licenses__health"."license_number" IS 'Number in the register.';
COMMENT ON COLUMN core."licenses__health"."license_date" IS 'Day of issue.';
COMMENT ON COLUMN core."licenses__health"."activity_type" IS 'Licensed activity.';
COMMENT ON COLUMN core."licenses__health"."licensee_name" IS 'Licensee, as the register spells it.';
COMMENT ON COLUMN core."licenses__health"."licensee_inn" IS 'INN of the licensee: the one asked.';
COMMENT ON COLUMN core."licenses__health"."licensee_ogrn" IS 'Registration number of the licensee: 13 digits, 15 for a sole proprietor.';
COMMENT ON COLUMN core."licenses__health"."address" IS 'Address of the licensee with region and postal code.';
COMMENT ON COLUMN core."licenses__health"."order_date" IS 'Date of the order; its format is not documented, so it is kept as it came.';
COMMENT ON COLUMN core."licenses__health"."order_number" IS 'Number of the order.';
COMMENT ON COLUMN core."licenses__health"."work_address" IS 'Where the work is done.';
COMMENT ON COLUMN core."licenses__health"."status" IS 'Status as the register words it.';
CREATE TABLE IF NOT EXISTS core."licenses__leaves" ("version_id" VARCHAR, "inn" VARCHAR, "path" VARCHAR, "value" VARCHAR, "type" VARCHAR);
COMMENT ON TABLE core."licenses__leaves" IS 'Leaves of what has no documented fields, one row each.';
COMMENT ON COLUMN core."licenses__leaves"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."licenses__leaves"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."licenses__leaves"."path" IS 'Where the leaf stands, as a JSONPath into the block.';
COMMENT ON COLUMN core."licenses__leaves"."value" IS 'The leaf as it came.';
COMMENT ON COLUMN core."licenses__leaves"."type" IS 'Its JSON type: string, number, boolean or null; object or array where it is empty.';
CREATE TABLE IF NOT EXISTS core."freezes" ("version_id" VARCHAR, "inn" VARCHAR, "found" BOOLEAN, "count" BIGINT);
COMMENT ON TABLE core."freezes" IS 'Account suspensions in force: one row per company, with their number.';
COMMENT ON COLUMN core."freezes"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."freezes"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."freezes"."found" IS 'Whether there are suspensions in force.';
COMMENT ON COLUMN core."freezes"."count" IS 'Decisions in this answer, at most 30; not the register''s total.';
CREATE TABLE IF NOT EXISTS core."freezes__items" ("version_id" VARCHAR, "inn" VARCHAR, "items_no" INTEGER, "decision_date" DATE, "decision_num" VARCHAR, "authority" VARCHAR, "bank" VARCHAR, "bik" VARCHAR, "code" VARCHAR, "kbk" VARCHAR);
COMMENT ON TABLE core."freezes__items" IS 'Decisions in force, at most 30.';
COMMENT ON COLUMN core."freezes__items"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."freezes__items"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."freezes__items"."items_no" IS 'Place in items, counted from 1.';
COMMENT ON COLUMN core."freezes__items"."decision_date" IS 'Day of the decision.';
COMMENT ON COLUMN core."freezes__items"."decision_num" IS 'Number of the decision.';
COMMENT ON COLUMN core."freezes__items"."authority" IS 'Tax authority that decided.';
COMMENT ON COLUMN core."freezes__items"."bank" IS 'Bank whose accounts are suspended.';
COMMENT ON COLUMN core."freezes__items"."bik" IS 'Code of that bank.';
COMMENT ON COLUMN core."freezes__items"."code" IS 'Kind of decision, a code passed on as it is.';
COMMENT ON COLUMN core."freezes__items"."kbk" IS 'Budget classification code; not always given.';
CREATE TABLE IF NOT EXISTS core."general_courts" ("version_id" VARCHAR, "inn" VARCHAR, "total_cases" BIGINT, "cases_found_now" BIGINT, "cases_from_store" BIGINT, "from_store_only" BOOLEAN, "courts_searched" BIGINT, "courts_in_region" BIGINT, "errors" BIGINT);
COMMENT ON TABLE core."general_courts" IS 'Cases in the courts of the company''s region: one row, with how much of the region was walked.';
COMMENT ON COLUMN core."general_courts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."general_courts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."general_courts"."total_cases" IS 'Cases, found now and stored.';
COMMENT ON COLUMN core."general_courts"."cases_found_now" IS 'Cases that this walk found.';
COMMENT ON COLUMN core."general_courts"."cases_from_store" IS 'Cases added from the store.';
COMMENT ON COLUMN core."general_courts"."from_store_only" IS 'The walk failed and all comes from the store.';
COMMENT ON COLUMN core."general_courts"."courts_searched" IS 'Sites of courts that were polled; 0 is no walk.';
COMMENT ON COLUMN core."general_courts"."courts_in_region" IS 'Courts in the region of the company; 0 stands for region not known.';
COMMENT ON COLUMN core."general_courts"."errors" IS 'Courts that failed or could not be passed.';
CREATE TABLE IF NOT EXISTS core."general_courts__cases" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "case_number" VARCHAR, "date" DATE, "participants" VARCHAR, "category" VARCHAR, "result_date" DATE, "result" VARCHAR, "court" VARCHAR, "url" VARCHAR, "case_id" VARCHAR, "role" VARCHAR, "claim_sum" DECIMAL(18,2), "court_type" VARCHAR, "codex" VARCHAR, "case_uid" VARCHAR, "category_detailed" VARCHAR, "judge" VARCHAR, "decision_date" DATE, "has_appeal" BOOLEAN, "has_cassation" BOOLEAN, "is_force" BOOLEAN, "latest_stage" VARCHAR, "_from_store" BOOLEAN);
COMMENT ON TABLE core."general_courts__cases" IS 'Cases, found now and stored.';
COMMENT ON COLUMN core."general_courts__cases"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."general_courts__cases"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."general_courts__cases"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases"."case_number" IS 'Number of the case, unique within its court.';
COMMENT ON COLUMN core."general_courts__cases"."date" IS 'Day of arrival; the Moscow portal may not give it.';
COMMENT ON COLUMN core."general_courts__cases"."participants" IS 'All parties in one line with their roles; may hold hundreds of names.';
COMMENT ON COLUMN core."general_courts__cases"."category" IS 'Kind of case.';
COMMENT ON COLUMN core."general_courts__cases"."result_date" IS 'Day of the outcome; none while unfinished.';
COMMENT ON COLUMN core."general_courts__cases"."result" IS 'Outcome as the court words it; none while unpublished.';
COMMENT ON COLUMN core."general_courts__cases"."court" IS 'District courts: prefix of their site; else the full name; stored cases may lack it.';
COMMENT ON COLUMN core."general_courts__cases"."url" IS 'Link to the case card; stored cases may lack it.';
COMMENT ON COLUMN core."general_courts__cases"."case_id" IS 'Number within the court''s site; magistrates and the Moscow portal have none.';
COMMENT ON COLUMN core."general_courts__cases"."role" IS 'Role of the company; none where not recognised.';
COMMENT ON COLUMN core."general_courts__cases"."claim_sum" IS 'Sum claimed, where written with the sign of the rouble; 0 stands for not found. [RUB]';
COMMENT ON COLUMN core."general_courts__cases"."court_type" IS 'Set for magistrates alone.';
COMMENT ON COLUMN core."general_courts__cases"."codex" IS 'Article and part of the administrative code; magistrates alone.';
COMMENT ON COLUMN core."general_courts__cases"."case_uid" IS 'Identifier of the case across courts; enriched cases alone.';
COMMENT ON COLUMN core."general_courts__cases"."category_detailed" IS 'Rubric of the dispute, levels joined by arrows; enriched cases alone.';
COMMENT ON COLUMN core."general_courts__cases"."judge" IS 'Judge; enriched cases alone.';
COMMENT ON COLUMN core."general_courts__cases"."decision_date" IS 'Day of the decision, usually that of the outcome; enriched cases alone.';
COMMENT ON COLUMN core."general_courts__cases"."has_appeal" IS 'The steps show an appeal; given only where they were read.';
COMMENT ON COLUMN core."general_courts__cases"."has_cassation" IS 'The steps show a cassation; given only where they were read.';
COMMENT ON COLUMN core."general_courts__cases"."is_force" IS 'Whether the decision has come into force.';
COMMENT ON COLUMN core."general_courts__cases"."latest_stage" IS 'Latest step or its outcome, up to 120 characters.';
COMMENT ON COLUMN core."general_courts__cases"."_from_store" IS 'Whether the case came from the store, with fields missing.';
CREATE TABLE IF NOT EXISTS core."general_courts__cases__plaintiffs" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "plaintiffs_no" INTEGER, "name" VARCHAR, "item_inn" VARCHAR, "ogrn" VARCHAR);
COMMENT ON TABLE core."general_courts__cases__plaintiffs" IS 'Plaintiffs.';
COMMENT ON COLUMN core."general_courts__cases__plaintiffs"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."general_courts__cases__plaintiffs"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."general_courts__cases__plaintiffs"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__plaintiffs"."plaintiffs_no" IS 'Place in plaintiffs, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__plaintiffs"."name" IS 'Name of the party, as the court spells it.';
COMMENT ON COLUMN core."general_courts__cases__plaintiffs"."item_inn" IS 'INN; only on enriched cases.';
COMMENT ON COLUMN core."general_courts__cases__plaintiffs"."ogrn" IS 'Registration number; only on enriched cases.';
CREATE TABLE IF NOT EXISTS core."general_courts__cases__respondents" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "respondents_no" INTEGER, "name" VARCHAR, "item_inn" VARCHAR, "ogrn" VARCHAR);
COMMENT ON TABLE core."general_courts__cases__respondents" IS 'Respondents.';
COMMENT ON COLUMN core."general_courts__cases__respondents"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."general_courts__cases__respondents"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."general_courts__cases__respondents"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__respondents"."respondents_no" IS 'Place in respondents, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__respondents"."name" IS 'Name of the party, as the court spells it.';
COMMENT ON COLUMN core."general_courts__cases__respondents"."item_inn" IS 'INN; only on enriched cases.';
COMMENT ON COLUMN core."general_courts__cases__respondents"."ogrn" IS 'Registration number; only on enriched cases.';
CREATE TABLE IF NOT EXISTS core."general_courts__cases__third_parties" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "third_parties_no" INTEGER, "name" VARCHAR, "item_inn" VARCHAR, "ogrn" VARCHAR);
COMMENT ON TABLE core."general_courts__cases__third_parties" IS 'Third parties.';
COMMENT ON COLUMN core."general_courts__cases__third_parties"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."general_courts__cases__third_parties"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."general_courts__cases__third_parties"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__third_parties"."third_parties_no" IS 'Place in third_parties, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__third_parties"."name" IS 'Name of the party, as the court spells it.';
COMMENT ON COLUMN core."general_courts__cases__third_parties"."item_inn" IS 'INN; only on enriched cases.';
COMMENT ON COLUMN core."general_courts__cases__third_parties"."ogrn" IS 'Registration number; only on enriched cases.';
CREATE TABLE IF NOT EXISTS core."general_courts__cases__attracted_parties" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "attracted_parties_no" INTEGER, "name" VARCHAR, "codex" VARCHAR);
COMMENT ON TABLE core."general_courts__cases__attracted_parties" IS 'Who answers in a magistrate''s administrative case.';
COMMENT ON COLUMN core."general_courts__cases__attracted_parties"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."general_courts__cases__attracted_parties"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."general_courts__cases__attracted_parties"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__attracted_parties"."attracted_parties_no" IS 'Place in attracted_parties, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__attracted_parties"."name" IS 'Name of the person or company.';
COMMENT ON COLUMN core."general_courts__cases__attracted_parties"."codex" IS 'Article and part of the administrative code.';
CREATE TABLE IF NOT EXISTS core."general_courts__cases__other_parties" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "other_parties_no" INTEGER, "name" VARCHAR);
COMMENT ON TABLE core."general_courts__cases__other_parties" IS 'Other parties; practically empty.';
COMMENT ON COLUMN core."general_courts__cases__other_parties"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."general_courts__cases__other_parties"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."general_courts__cases__other_parties"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__other_parties"."other_parties_no" IS 'Place in other_parties, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__other_parties"."name" IS 'Name of the party.';
CREATE TABLE IF NOT EXISTS core."general_courts__cases__movements" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "movements_no" INTEGER, "date" DATE, "time" VARCHAR, "event" VARCHAR, "place" VARCHAR, "result" VARCHAR, "basis" VARCHAR, "note" VARCHAR, "published" VARCHAR);
COMMENT ON TABLE core."general_courts__cases__movements" IS 'Steps, at most 20; enriched cases alone.';
COMMENT ON COLUMN core."general_courts__cases__movements"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."general_courts__cases__movements"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."general_courts__cases__movements"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__movements"."movements_no" IS 'Place in movements, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__movements"."date" IS 'Day of the step.';
COMMENT ON COLUMN core."general_courts__cases__movements"."time" IS 'Hour and minute at the court; not always given.';
COMMENT ON COLUMN core."general_courts__cases__movements"."event" IS 'What happened.';
COMMENT ON COLUMN core."general_courts__cases__movements"."place" IS 'Room or place.';
COMMENT ON COLUMN core."general_courts__cases__movements"."result" IS 'What came of it.';
COMMENT ON COLUMN core."general_courts__cases__movements"."basis" IS 'Ground.';
COMMENT ON COLUMN core."general_courts__cases__movements"."note" IS 'Note; usually not given.';
COMMENT ON COLUMN core."general_courts__cases__movements"."published" IS 'When it was published, as it came; usually not given.';
CREATE TABLE IF NOT EXISTS core."general_courts__cases__parties_detail" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "parties_detail_no" INTEGER, "role" VARCHAR, "name" VARCHAR, "item_inn" VARCHAR, "kpp" VARCHAR, "ogrn" VARCHAR, "ogrnip" VARCHAR);
COMMENT ON TABLE core."general_courts__cases__parties_detail" IS 'Parties as the court''s card prints them.';
COMMENT ON COLUMN core."general_courts__cases__parties_detail"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."general_courts__cases__parties_detail"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."general_courts__cases__parties_detail"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__parties_detail"."parties_detail_no" IS 'Place in parties_detail, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__parties_detail"."role" IS 'Role, in the court''s capitals; not always given.';
COMMENT ON COLUMN core."general_courts__cases__parties_detail"."name" IS 'Name of the party, as printed.';
COMMENT ON COLUMN core."general_courts__cases__parties_detail"."item_inn" IS 'INN, where published.';
COMMENT ON COLUMN core."general_courts__cases__parties_detail"."kpp" IS 'Tax registration reason code, where published.';
COMMENT ON COLUMN core."general_courts__cases__parties_detail"."ogrn" IS 'Registration number of a company, where published.';
COMMENT ON COLUMN core."general_courts__cases__parties_detail"."ogrnip" IS 'Registration number of a sole proprietor, where published.';
CREATE TABLE IF NOT EXISTS core."general_courts__cases__writs" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "writs_no" INTEGER, "date" DATE, "number" VARCHAR, "e_id" VARCHAR, "status" VARCHAR, "recipient" VARCHAR);
COMMENT ON TABLE core."general_courts__cases__writs" IS 'Writs of execution.';
COMMENT ON COLUMN core."general_courts__cases__writs"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."general_courts__cases__writs"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."general_courts__cases__writs"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__writs"."writs_no" IS 'Place in writs, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__writs"."date" IS 'Day of issue.';
COMMENT ON COLUMN core."general_courts__cases__writs"."number" IS 'Number on paper.';
COMMENT ON COLUMN core."general_courts__cases__writs"."e_id" IS 'Number of the electronic writ.';
COMMENT ON COLUMN core."general_courts__cases__writs"."status" IS 'Status as the court words it.';
COMMENT ON COLUMN core."general_courts__cases__writs"."recipient" IS 'To whom it was issued.';
CREATE TABLE IF NOT EXISTS core."general_courts__cases__acts" ("version_id" VARCHAR, "inn" VARCHAR, "cases_no" INTEGER, "acts_no" INTEGER, "n" BIGINT, "title" VARCHAR, "text_snippet" VARCHAR, "text_len" BIGINT);
COMMENT ON TABLE core."general_courts__cases__acts" IS 'Acts whose text is published.';
COMMENT ON COLUMN core."general_courts__cases__acts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."general_courts__cases__acts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."general_courts__cases__acts"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__acts"."acts_no" IS 'Place in acts, counted from 1.';
COMMENT ON COLUMN core."general_courts__cases__acts"."n" IS 'Place among the acts of the case.';
COMMENT ON COLUMN core."general_courts__cases__acts"."title" IS 'Title.';
COMMENT ON COLUMN core."general_courts__cases__acts"."text_snippet" IS 'Part of the text.';
COMMENT ON COLUMN core."general_courts__cases__acts"."text_len" IS 'Length of the whole text, in characters.';
CREATE TABLE IF NOT EXISTS core."timeline" ("version_id" VARCHAR, "inn" VARCHAR);
COMMENT ON TABLE core."timeline" IS 'Events of the company: one row, which holds nothing but them.';
COMMENT ON COLUMN core."timeline"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."timeline"."inn" IS 'INN that was checked.';
CREATE TABLE IF NOT EXISTS core."timeline__events" ("version_id" VARCHAR, "inn" VARCHAR, "events_no" INTEGER, "date" DATE, "type" VARCHAR, "event" VARCHAR, "source" VARCHAR);
COMMENT ON TABLE core."timeline__events" IS 'Events without duplicates, the latest first.';
COMMENT ON COLUMN core."timeline__events"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."timeline__events"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."timeline__events"."events_no" IS 'Place in events, counted from 1.';
COMMENT ON COLUMN core."timeline__events"."date" IS 'Day of the event; a change of status often has none.';
COMMENT ON COLUMN core."timeline__events"."type" IS 'Kind of event.';
COMMENT ON COLUMN core."timeline__events"."event" IS 'A set phrase, the register''s wording of the status, or the kind of publication.';
COMMENT ON COLUMN core."timeline__events"."source" IS 'Bankruptcy register; the register of companies goes unnamed.';
CREATE TABLE IF NOT EXISTS core."tax_debts" ("version_id" VARCHAR, "inn" VARCHAR, "total" BIGINT, "total_sum" DECIMAL(18,2), "snapshot_date" DATE);
COMMENT ON TABLE core."tax_debts" IS 'Tax debts on the day of the data set: one row per company.';
COMMENT ON COLUMN core."tax_debts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."tax_debts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."tax_debts"."total" IS 'Kinds of tax in debt; 0 is no debtor in this set.';
COMMENT ON COLUMN core."tax_debts"."total_sum" IS 'Debt over all kinds, kopecks included. [RUB]';
COMMENT ON COLUMN core."tax_debts"."snapshot_date" IS 'Day of the data set.';
CREATE TABLE IF NOT EXISTS core."tax_debts__records" ("version_id" VARCHAR, "inn" VARCHAR, "records_no" INTEGER, "name" VARCHAR, "debt_type" VARCHAR, "sum" DECIMAL(18,2), "record_date" DATE);
COMMENT ON TABLE core."tax_debts__records" IS 'Debts, one per kind of tax.';
COMMENT ON COLUMN core."tax_debts__records"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."tax_debts__records"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."tax_debts__records"."records_no" IS 'Place in records, counted from 1.';
COMMENT ON COLUMN core."tax_debts__records"."name" IS 'Name as the data set spells it, in upper case.';
COMMENT ON COLUMN core."tax_debts__records"."debt_type" IS 'Kind of tax, fee, contribution or penalty, from the tax authority''s own list.';
COMMENT ON COLUMN core."tax_debts__records"."sum" IS 'Debt, kopecks included. [RUB]';
COMMENT ON COLUMN core."tax_debts__records"."record_date" IS 'Day of the record; not always given.';
CREATE TABLE IF NOT EXISTS core."tax_offences" ("version_id" VARCHAR, "inn" VARCHAR, "total" BIGINT, "total_sum" DECIMAL(18,2), "snapshot_date" DATE);
COMMENT ON TABLE core."tax_offences" IS 'Fines for tax offences on the day of the data set: one row per company.';
COMMENT ON COLUMN core."tax_offences"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."tax_offences"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."tax_offences"."total" IS 'Fines; 0 is none in this set.';
COMMENT ON COLUMN core."tax_offences"."total_sum" IS 'Fines together, kopecks included. [RUB]';
COMMENT ON COLUMN core."tax_offences"."snapshot_date" IS 'Day of the data set.';
CREATE TABLE IF NOT EXISTS core."tax_offences__records" ("version_id" VARCHAR, "inn" VARCHAR, "records_no" INTEGER, "name" VARCHAR, "sum" DECIMAL(18,2), "decision_date" DATE);
COMMENT ON TABLE core."tax_offences__records" IS 'Fines.';
COMMENT ON COLUMN core."tax_offences__records"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."tax_offences__records"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."tax_offences__records"."records_no" IS 'Place in records, counted from 1.';
COMMENT ON COLUMN core."tax_offences__records"."name" IS 'Name as the data set spells it.';
COMMENT ON COLUMN core."tax_offences__records"."sum" IS 'Fine, kopecks included. [RUB]';
COMMENT ON COLUMN core."tax_offences__records"."decision_date" IS 'Day of the data set, not of the decision; not always given.';
CREATE TABLE IF NOT EXISTS core."employees" ("version_id" VARCHAR, "inn" VARCHAR, "name" VARCHAR, "headcount" BIGINT, "publish_date" DATE, "snapshot_date" DATE);
COMMENT ON TABLE core."employees" IS 'Average headcount of the latest period: one row per company.';
COMMENT ON COLUMN core."employees"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."employees"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."employees"."name" IS 'Name as the data set spells it.';
COMMENT ON COLUMN core."employees"."headcount" IS 'Average number of employees; 0 is a real zero.';
COMMENT ON COLUMN core."employees"."publish_date" IS 'Reporting date.';
COMMENT ON COLUMN core."employees"."snapshot_date" IS 'Day of the data set.';
CREATE TABLE IF NOT EXISTS core."revexp" ("version_id" VARCHAR, "inn" VARCHAR, "name" VARCHAR, "revenue" DECIMAL(18,2), "expense" DECIMAL(18,2), "period" DATE, "snapshot_date" DATE);
COMMENT ON TABLE core."revexp" IS 'Income and expense of the latest period: one row per company.';
COMMENT ON COLUMN core."revexp"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."revexp"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."revexp"."name" IS 'Name as the data set spells it.';
COMMENT ON COLUMN core."revexp"."revenue" IS 'Income of the period, rounded to thousands at the source. [RUB]';
COMMENT ON COLUMN core."revexp"."expense" IS 'Expense of the period, rounded to thousands at the source. [RUB]';
COMMENT ON COLUMN core."revexp"."period" IS 'Last day of the period; a bare year means its 31 December.';
COMMENT ON COLUMN core."revexp"."snapshot_date" IS 'Day of the data set.';
CREATE TABLE IF NOT EXISTS core."msp" ("version_id" VARCHAR, "inn" VARCHAR, "ogrn" VARCHAR, "name" VARCHAR, "headcount" BIGINT, "category" VARCHAR, "is_ip" BOOLEAN, "as_of" DATE, "snapshot_date" DATE);
COMMENT ON TABLE core."msp" IS 'Entry in the register of small business: one row per company or sole proprietor.';
COMMENT ON COLUMN core."msp"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."msp"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."msp"."ogrn" IS 'Registration number: 13 digits, 15 for a sole proprietor.';
COMMENT ON COLUMN core."msp"."name" IS 'Name of the company, or full name of the person.';
COMMENT ON COLUMN core."msp"."headcount" IS 'Number of employees.';
COMMENT ON COLUMN core."msp"."category" IS 'Category of size.';
COMMENT ON COLUMN core."msp"."is_ip" IS 'Whether it is a sole proprietor.';
COMMENT ON COLUMN core."msp"."as_of" IS 'Day for which the entry holds; the full check spells it year first.';
COMMENT ON COLUMN core."msp"."snapshot_date" IS 'Day of the data set.';
CREATE TABLE IF NOT EXISTS core."leasing" ("version_id" VARCHAR, "inn" VARCHAR, "total_contracts" BIGINT);
COMMENT ON TABLE core."leasing" IS 'Leasing contracts of the company: one row, with their number.';
COMMENT ON COLUMN core."leasing"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."leasing"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."leasing"."total_contracts" IS 'Leasing contracts.';
CREATE TABLE IF NOT EXISTS core."leasing__contracts" ("version_id" VARCHAR, "inn" VARCHAR, "contracts_no" INTEGER, "subject" VARCHAR, "lessor" VARCHAR, "date" DATE, "amount" DECIMAL(18,2), "status" VARCHAR);
COMMENT ON TABLE core."leasing__contracts" IS 'Leasing contracts.';
COMMENT ON COLUMN core."leasing__contracts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."leasing__contracts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."leasing__contracts"."contracts_no" IS 'Place in contracts, counted from 1.';
COMMENT ON COLUMN core."leasing__contracts"."subject" IS 'What is leased.';
COMMENT ON COLUMN core."leasing__contracts"."lessor" IS 'Who leases it out.';
COMMENT ON COLUMN core."leasing__contracts"."date" IS 'Day of the contract; its format is not documented.';
COMMENT ON COLUMN core."leasing__contracts"."amount" IS 'Amount of the contract. [RUB]';
COMMENT ON COLUMN core."leasing__contracts"."status" IS 'Status as the source words it.';
CREATE TABLE IF NOT EXISTS core."trademarks" ("version_id" VARCHAR, "inn" VARCHAR, "total" BIGINT);
COMMENT ON TABLE core."trademarks" IS 'Trademarks of the company: one row, with their number.';
COMMENT ON COLUMN core."trademarks"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."trademarks"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."trademarks"."total" IS 'Trademarks.';
CREATE TABLE IF NOT EXISTS core."trademarks__trademarks" ("version_id" VARCHAR, "inn" VARCHAR, "trademarks_no" INTEGER, "name" VARCHAR, "number" VARCHAR, "date" DATE, "owner" VARCHAR, "url" VARCHAR);
COMMENT ON TABLE core."trademarks__trademarks" IS 'Trademarks.';
COMMENT ON COLUMN core."trademarks__trademarks"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."trademarks__trademarks"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."trademarks__trademarks"."trademarks_no" IS 'Place in trademarks, counted from 1.';
COMMENT ON COLUMN core."trademarks__trademarks"."name" IS 'Name of the trademark.';
COMMENT ON COLUMN core."trademarks__trademarks"."number" IS 'Number of the registration.';
COMMENT ON COLUMN core."trademarks__trademarks"."date" IS 'Day of the registration; its format is not documented.';
COMMENT ON COLUMN core."trademarks__trademarks"."owner" IS 'Owner: found by name, so it may be a namesake.';
COMMENT ON COLUMN core."trademarks__trademarks"."url" IS 'Link to the trademark''s card.';
CREATE TABLE IF NOT EXISTS core."founded_companies" ("version_id" VARCHAR, "inn" VARCHAR, "count" BIGINT);
COMMENT ON TABLE core."founded_companies" IS 'Companies founded or managed by the company: one row, with their number.';
COMMENT ON COLUMN core."founded_companies"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."founded_companies"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."founded_companies"."count" IS 'Related companies.';
CREATE TABLE IF NOT EXISTS core."founded_companies__items" ("version_id" VARCHAR, "inn" VARCHAR, "items_no" INTEGER, "name" VARCHAR, "item_inn" VARCHAR, "ogrn" VARCHAR, "role" VARCHAR, "status" VARCHAR, "source" VARCHAR);
COMMENT ON TABLE core."founded_companies__items" IS 'Related companies.';
COMMENT ON COLUMN core."founded_companies__items"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."founded_companies__items"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."founded_companies__items"."items_no" IS 'Place in items, counted from 1.';
COMMENT ON COLUMN core."founded_companies__items"."name" IS 'Name of the related company.';
COMMENT ON COLUMN core."founded_companies__items"."item_inn" IS 'INN of the related company.';
COMMENT ON COLUMN core."founded_companies__items"."ogrn" IS 'Registration number of the related company.';
COMMENT ON COLUMN core."founded_companies__items"."role" IS 'Role of the company asked in the related one.';
COMMENT ON COLUMN core."founded_companies__items"."status" IS 'Status of the related company in the register now.';
COMMENT ON COLUMN core."founded_companies__items"."source" IS 'Where the relation is known from.';
CREATE TABLE IF NOT EXISTS core."minjust_check" ("version_id" VARCHAR, "inn" VARCHAR, "name" VARCHAR);
COMMENT ON TABLE core."minjust_check" IS 'Check against the register of foreign agents: one row per company; any leaf of a hit means that it is listed.';
COMMENT ON COLUMN core."minjust_check"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."minjust_check"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."minjust_check"."name" IS 'Name that was looked for.';
CREATE TABLE IF NOT EXISTS core."minjust_check__leaves" ("version_id" VARCHAR, "inn" VARCHAR, "path" VARCHAR, "value" VARCHAR, "type" VARCHAR);
COMMENT ON TABLE core."minjust_check__leaves" IS 'Leaves of what has no documented fields, one row each.';
COMMENT ON COLUMN core."minjust_check__leaves"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."minjust_check__leaves"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."minjust_check__leaves"."path" IS 'Where the leaf stands, as a JSONPath into the block.';
COMMENT ON COLUMN core."minjust_check__leaves"."value" IS 'The leaf as it came.';
COMMENT ON COLUMN core."minjust_check__leaves"."type" IS 'Its JSON type: string, number, boolean or null; object or array where it is empty.';
CREATE TABLE IF NOT EXISTS core."contacts" ("version_id" VARCHAR, "inn" VARCHAR);
COMMENT ON TABLE core."contacts" IS 'Contacts of the company: one row; everything is in the table of leaves, since no fields are documented.';
COMMENT ON COLUMN core."contacts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."contacts"."inn" IS 'INN that was checked.';
CREATE TABLE IF NOT EXISTS core."contacts__leaves" ("version_id" VARCHAR, "inn" VARCHAR, "path" VARCHAR, "value" VARCHAR, "type" VARCHAR);
COMMENT ON TABLE core."contacts__leaves" IS 'Leaves of what has no documented fields, one row each.';
COMMENT ON COLUMN core."contacts__leaves"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN core."contacts__leaves"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN core."contacts__leaves"."path" IS 'Where the leaf stands, as a JSONPath into the block.';
COMMENT ON COLUMN core."contacts__leaves"."value" IS 'The leaf as it came.';
COMMENT ON COLUMN core."contacts__leaves"."type" IS 'Its JSON type: string, number, boolean or null; object or array where it is empty.';
CREATE TABLE IF NOT EXISTS lineage."runs" ("run_id" VARCHAR, "started_at" TIMESTAMP, "finished_at" TIMESTAMP, "portfolio" VARCHAR, "profile" VARCHAR, "budget_rub" DECIMAL(18,2), "charged_rub" DECIMAL(18,2), "unknown_rub" DECIMAL(18,2), "exit_code" BIGINT, "software_version" VARCHAR);
COMMENT ON TABLE lineage."runs" IS 'Runs, one row each.';
COMMENT ON COLUMN lineage."runs"."run_id" IS 'Run.';
COMMENT ON COLUMN lineage."runs"."started_at" IS 'When it started, UTC.';
COMMENT ON COLUMN lineage."runs"."finished_at" IS 'When it ended, UTC; NULL where it was killed.';
COMMENT ON COLUMN lineage."runs"."portfolio" IS 'Portfolio that it checked.';
COMMENT ON COLUMN lineage."runs"."profile" IS 'Profile that it used.';
COMMENT ON COLUMN lineage."runs"."budget_rub" IS 'Its budget, RUB.';
COMMENT ON COLUMN lineage."runs"."charged_rub" IS 'What its calls were charged, RUB.';
COMMENT ON COLUMN lineage."runs"."unknown_rub" IS 'What calls of unknown outcome may have been charged, RUB.';
COMMENT ON COLUMN lineage."runs"."exit_code" IS 'Its exit code; NULL where it was killed.';
COMMENT ON COLUMN lineage."runs"."software_version" IS 'Version of innspect and of the declarations that it ran with.';
CREATE TABLE IF NOT EXISTS lineage."calls" ("call_id" VARCHAR, "run_id" VARCHAR, "inn" VARCHAR, "method" VARCHAR, "expected_rub" DECIMAL(18,2), "charged_rub" DECIMAL(18,2), "state" VARCHAR, "reserved_at" TIMESTAMP, "resolved_at" TIMESTAMP, "http_status" BIGINT, "reason" VARCHAR);
COMMENT ON TABLE lineage."calls" IS 'Calls that were reserved, one row each, whatever became of them.';
COMMENT ON COLUMN lineage."calls"."call_id" IS 'Call.';
COMMENT ON COLUMN lineage."calls"."run_id" IS 'Run.';
COMMENT ON COLUMN lineage."calls"."inn" IS 'INN that was asked about.';
COMMENT ON COLUMN lineage."calls"."method" IS 'Method that was called.';
COMMENT ON COLUMN lineage."calls"."expected_rub" IS 'Price that was reserved, RUB.';
COMMENT ON COLUMN lineage."calls"."charged_rub" IS 'Price that was charged, RUB; NULL while it is unknown.';
COMMENT ON COLUMN lineage."calls"."state" IS 'settled, free, unknown or released.';
COMMENT ON COLUMN lineage."calls"."reserved_at" IS 'When it was reserved, UTC.';
COMMENT ON COLUMN lineage."calls"."resolved_at" IS 'When its outcome was known, UTC.';
COMMENT ON COLUMN lineage."calls"."http_status" IS 'Status of the answer; NULL without one.';
COMMENT ON COLUMN lineage."calls"."reason" IS 'Why it has no usable answer; NULL where it has one.';
CREATE TABLE IF NOT EXISTS lineage."responses" ("response_id" VARCHAR, "call_id" VARCHAR, "run_id" VARCHAR, "inn" VARCHAR, "method" VARCHAR, "asked_at" TIMESTAMP, "received_at" TIMESTAMP, "http_status" BIGINT, "charged_rub" DECIMAL(18,2), "balance_rub" DECIMAL(18,2), "bytes" BIGINT, "sha256" VARCHAR, "archive_file" VARCHAR);
COMMENT ON TABLE lineage."responses" IS 'Answers, one row each; the bytes are in raw.responses.';
COMMENT ON COLUMN lineage."responses"."response_id" IS 'Answer; derived from its call.';
COMMENT ON COLUMN lineage."responses"."call_id" IS 'Call that it answers.';
COMMENT ON COLUMN lineage."responses"."run_id" IS 'Run.';
COMMENT ON COLUMN lineage."responses"."inn" IS 'INN that was asked about.';
COMMENT ON COLUMN lineage."responses"."method" IS 'Method that was called.';
COMMENT ON COLUMN lineage."responses"."asked_at" IS 'When the call was sent, UTC.';
COMMENT ON COLUMN lineage."responses"."received_at" IS 'When its last byte came, UTC.';
COMMENT ON COLUMN lineage."responses"."http_status" IS 'Status.';
COMMENT ON COLUMN lineage."responses"."charged_rub" IS 'Price charged, RUB; NULL while unknown.';
COMMENT ON COLUMN lineage."responses"."balance_rub" IS 'Balance that the answer named, RUB.';
COMMENT ON COLUMN lineage."responses"."bytes" IS 'Length of the body.';
COMMENT ON COLUMN lineage."responses"."sha256" IS 'SHA-256 of the body, hexadecimal.';
COMMENT ON COLUMN lineage."responses"."archive_file" IS 'File of the archive that holds the body.';
CREATE TABLE IF NOT EXISTS lineage."snapshots" ("snapshot_id" VARCHAR, "response_id" VARCHAR, "run_id" VARCHAR, "inn" VARCHAR, "block" VARCHAR, "method" VARCHAR, "asked_at" TIMESTAMP, "collected_at" TIMESTAMP, "from_local" BOOLEAN, "state" VARCHAR, "reason" VARCHAR, "version_id" VARCHAR, "source_date" DATE, "marks" JSON);
COMMENT ON TABLE lineage."snapshots" IS 'What each answer was worth for each block: one row per answer and block.';
COMMENT ON COLUMN lineage."snapshots"."snapshot_id" IS 'Snapshot; derived from answer and block.';
COMMENT ON COLUMN lineage."snapshots"."response_id" IS 'Answer.';
COMMENT ON COLUMN lineage."snapshots"."run_id" IS 'Run.';
COMMENT ON COLUMN lineage."snapshots"."inn" IS 'INN that was asked about.';
COMMENT ON COLUMN lineage."snapshots"."block" IS 'Block.';
COMMENT ON COLUMN lineage."snapshots"."method" IS 'Method that was called.';
COMMENT ON COLUMN lineage."snapshots"."asked_at" IS 'When it was asked, UTC: the axis of time.';
COMMENT ON COLUMN lineage."snapshots"."collected_at" IS 'When the service had collected it, UTC: the honest freshness.';
COMMENT ON COLUMN lineage."snapshots"."from_local" IS 'Whether it came from the service''s own store.';
COMMENT ON COLUMN lineage."snapshots"."state" IS 'found, clean, partial, unconfirmed, unavailable, missing or failed.';
COMMENT ON COLUMN lineage."snapshots"."reason" IS 'Why it is not plainly found or clean.';
COMMENT ON COLUMN lineage."snapshots"."version_id" IS 'What was known after it; NULL where the answer is no evidence.';
COMMENT ON COLUMN lineage."snapshots"."source_date" IS 'Day of the source''s own data set.';
COMMENT ON COLUMN lineage."snapshots"."marks" IS 'What describes the answer and not the company.';
CREATE TABLE IF NOT EXISTS lineage."versions" ("version_id" VARCHAR, "inn" VARCHAR, "block" VARCHAR, "content_hash" VARCHAR, "first_seen_at" TIMESTAMP, "last_seen_at" TIMESTAMP);
COMMENT ON TABLE lineage."versions" IS 'What was known of an INN and a block: one row per distinct content.';
COMMENT ON COLUMN lineage."versions"."version_id" IS 'Version; derived from INN, block and content.';
COMMENT ON COLUMN lineage."versions"."inn" IS 'INN that was asked about.';
COMMENT ON COLUMN lineage."versions"."block" IS 'Block.';
COMMENT ON COLUMN lineage."versions"."content_hash" IS 'Hash of the normalised content.';
COMMENT ON COLUMN lineage."versions"."first_seen_at" IS 'When it was first asked and found so, UTC.';
COMMENT ON COLUMN lineage."versions"."last_seen_at" IS 'When it was last asked and found so, UTC.';
CREATE TABLE IF NOT EXISTS lineage."changes" ("run_id" VARCHAR, "snapshot_id" VARCHAR, "inn" VARCHAR, "block" VARCHAR, "table_name" VARCHAR, "row_key" VARCHAR, "change" VARCHAR, "column_name" VARCHAR, "old_value" VARCHAR, "new_value" VARCHAR, "seen_at" TIMESTAMP, "severity" VARCHAR);
COMMENT ON TABLE lineage."changes" IS 'What a re-check found changed: one row per added or removed row and per changed cell.';
COMMENT ON COLUMN lineage."changes"."run_id" IS 'Run.';
COMMENT ON COLUMN lineage."changes"."snapshot_id" IS 'Snapshot that showed it.';
COMMENT ON COLUMN lineage."changes"."inn" IS 'INN that was asked about.';
COMMENT ON COLUMN lineage."changes"."block" IS 'Block.';
COMMENT ON COLUMN lineage."changes"."table_name" IS 'Table.';
COMMENT ON COLUMN lineage."changes"."row_key" IS 'Key of the row within the company; empty for the block''s own row.';
COMMENT ON COLUMN lineage."changes"."change" IS 'added, removed or changed.';
COMMENT ON COLUMN lineage."changes"."column_name" IS 'Column that changed; NULL for a whole row.';
COMMENT ON COLUMN lineage."changes"."old_value" IS 'What was known before.';
COMMENT ON COLUMN lineage."changes"."new_value" IS 'What is known now.';
COMMENT ON COLUMN lineage."changes"."seen_at" IS 'When the answer that showed it was asked, UTC.';
COMMENT ON COLUMN lineage."changes"."severity" IS 'info, notice or alert.';
CREATE TABLE IF NOT EXISTS lineage."violations" ("snapshot_id" VARCHAR, "inn" VARCHAR, "block" VARCHAR, "table_name" VARCHAR, "row_path" VARCHAR, "column_name" VARCHAR, "rule" VARCHAR, "value" VARCHAR);
COMMENT ON TABLE lineage."violations" IS 'Cells that could not be read, or are out of their domain.';
COMMENT ON COLUMN lineage."violations"."snapshot_id" IS 'Snapshot.';
COMMENT ON COLUMN lineage."violations"."inn" IS 'INN that was asked about.';
COMMENT ON COLUMN lineage."violations"."block" IS 'Block.';
COMMENT ON COLUMN lineage."violations"."table_name" IS 'Table.';
COMMENT ON COLUMN lineage."violations"."row_path" IS 'Row, as a JSONPath into the block.';
COMMENT ON COLUMN lineage."violations"."column_name" IS 'Column; NULL where the whole row is meant.';
COMMENT ON COLUMN lineage."violations"."rule" IS 'Rule that was broken.';
COMMENT ON COLUMN lineage."violations"."value" IS 'The value as it came.';
CREATE TABLE IF NOT EXISTS lineage."quarantine" ("snapshot_id" VARCHAR, "inn" VARCHAR, "block" VARCHAR, "table_name" VARCHAR, "row_path" VARCHAR, "rule" VARCHAR, "row" JSON);
COMMENT ON TABLE lineage."quarantine" IS 'Rows that came but cannot stand in core.';
COMMENT ON COLUMN lineage."quarantine"."snapshot_id" IS 'Snapshot.';
COMMENT ON COLUMN lineage."quarantine"."inn" IS 'INN that was asked about.';
COMMENT ON COLUMN lineage."quarantine"."block" IS 'Block.';
COMMENT ON COLUMN lineage."quarantine"."table_name" IS 'Table.';
COMMENT ON COLUMN lineage."quarantine"."row_path" IS 'Row, as a JSONPath into the block.';
COMMENT ON COLUMN lineage."quarantine"."rule" IS 'Rule that was broken.';
COMMENT ON COLUMN lineage."quarantine"."row" IS 'The row, as it was read.';
CREATE TABLE IF NOT EXISTS lineage."drift" ("block" VARCHAR, "path" VARCHAR, "kind" VARCHAR, "sample" VARCHAR, "occurrences" BIGINT, "first_seen_at" TIMESTAMP, "last_seen_at" TIMESTAMP);
COMMENT ON TABLE lineage."drift" IS 'Ways in which answers differ from what is declared, once per block, path and kind.';
COMMENT ON COLUMN lineage."drift"."block" IS 'Block.';
COMMENT ON COLUMN lineage."drift"."path" IS 'Where: the field''s path within the block.';
COMMENT ON COLUMN lineage."drift"."kind" IS 'unknown_field, reserved_filled, duplicate_differs, type_changed, new_value or missing_field.';
COMMENT ON COLUMN lineage."drift"."sample" IS 'An example, as it came.';
COMMENT ON COLUMN lineage."drift"."occurrences" IS 'How often.';
COMMENT ON COLUMN lineage."drift"."first_seen_at" IS 'When it was first asked and seen, UTC.';
COMMENT ON COLUMN lineage."drift"."last_seen_at" IS 'When it was last asked and seen, UTC.';
CREATE TABLE IF NOT EXISTS lineage."portfolio_members" ("portfolio" VARCHAR, "inn" VARCHAR, "name" VARCHAR, "priority" DOUBLE, "tags" VARCHAR, "extra" JSON, "first_seen_at" TIMESTAMP, "last_seen_at" TIMESTAMP);
COMMENT ON TABLE lineage."portfolio_members" IS 'Who is watched, and since when.';
COMMENT ON COLUMN lineage."portfolio_members"."portfolio" IS 'Portfolio.';
COMMENT ON COLUMN lineage."portfolio_members"."inn" IS 'Member.';
COMMENT ON COLUMN lineage."portfolio_members"."name" IS 'Name that the file gives.';
COMMENT ON COLUMN lineage."portfolio_members"."priority" IS 'Priority that the file gives; higher goes first.';
COMMENT ON COLUMN lineage."portfolio_members"."tags" IS 'Tags that the file gives.';
COMMENT ON COLUMN lineage."portfolio_members"."extra" IS 'The file''s other columns.';
COMMENT ON COLUMN lineage."portfolio_members"."first_seen_at" IS 'Start of the first run that saw it, UTC.';
COMMENT ON COLUMN lineage."portfolio_members"."last_seen_at" IS 'Start of the last run that saw it, UTC.';
CREATE TABLE IF NOT EXISTS lineage."rejected_inputs" ("run_id" VARCHAR, "portfolio" VARCHAR, "line" BIGINT, "value" VARCHAR, "reason" VARCHAR);
COMMENT ON TABLE lineage."rejected_inputs" IS 'Lines of portfolio files that name no INN to check.';
COMMENT ON COLUMN lineage."rejected_inputs"."run_id" IS 'Run.';
COMMENT ON COLUMN lineage."rejected_inputs"."portfolio" IS 'Portfolio.';
COMMENT ON COLUMN lineage."rejected_inputs"."line" IS 'Line of the file, counted from 1.';
COMMENT ON COLUMN lineage."rejected_inputs"."value" IS 'What stood there.';
COMMENT ON COLUMN lineage."rejected_inputs"."reason" IS 'Why it was left out.';
CREATE TABLE IF NOT EXISTS lineage."_record_files" (archive_file VARCHAR);
CREATE TABLE IF NOT EXISTS lineage."_bodies" (response_id VARCHAR, block VARCHAR, digest UBIGINT);
CREATE OR REPLACE TABLE lineage."_latest" ("inn" VARCHAR, "block" VARCHAR, "asked_at" TIMESTAMP, "snapshot_id" VARCHAR, "state" VARCHAR, "reason" VARCHAR, "method" VARCHAR, "version_id" VARCHAR, "evidence_id" VARCHAR, "checked_at" TIMESTAMP, "collected_at" TIMESTAMP, "is_whole" BOOLEAN);
COMMENT ON TABLE lineage."_latest" IS 'The latest answer and what is known, one row per INN and block: worked out from lineage.snapshots.';
COMMENT ON COLUMN lineage."_latest"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN lineage."_latest"."block" IS 'Block.';
COMMENT ON COLUMN lineage."_latest"."asked_at" IS 'When it was last asked, UTC.';
COMMENT ON COLUMN lineage."_latest"."snapshot_id" IS 'The latest answer.';
COMMENT ON COLUMN lineage."_latest"."state" IS 'State of the latest answer.';
COMMENT ON COLUMN lineage."_latest"."reason" IS 'Why the latest answer is not plainly found or clean.';
COMMENT ON COLUMN lineage."_latest"."method" IS 'Method that brought the latest answer.';
COMMENT ON COLUMN lineage."_latest"."version_id" IS 'Version that is known; NULL where no answer was evidence.';
COMMENT ON COLUMN lineage."_latest"."evidence_id" IS 'The latest answer that is evidence.';
COMMENT ON COLUMN lineage."_latest"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN lineage."_latest"."collected_at" IS 'When the service had collected that answer, UTC.';
COMMENT ON COLUMN lineage."_latest"."is_whole" IS 'Whether any answer so far was a whole one, found or clean.';
CREATE OR REPLACE VIEW current."company" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company" IS 'Latest confirmed: The card: who the company or sole proprietor is. One row per INN.';
COMMENT ON COLUMN current."company"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company"."ogrn" IS 'Registration number: 13 digits, 15 for a sole proprietor.';
COMMENT ON COLUMN current."company"."kpp" IS 'Tax registration reason code; a sole proprietor has none.';
COMMENT ON COLUMN current."company"."name" IS 'Full name as the register spells it.';
COMMENT ON COLUMN current."company"."short_name" IS 'Short name, or the full one where the register has none.';
COMMENT ON COLUMN current."company"."status" IS 'Status, normalised.';
COMMENT ON COLUMN current."company"."status_description" IS 'Status as the source words it.';
COMMENT ON COLUMN current."company"."status_name" IS 'Exact register status, where given apart; mostly not.';
COMMENT ON COLUMN current."company"."registration_date" IS 'Day of registration.';
COMMENT ON COLUMN current."company"."liquidation_date" IS 'Day of termination; alone it means liquidation.';
COMMENT ON COLUMN current."company"."termination_reason" IS 'Reason of the termination, as it came.';
COMMENT ON COLUMN current."company"."termination_kind" IS 'Kind of termination; not given while active.';
COMMENT ON COLUMN current."company"."address" IS 'Registered address in one line with the postal code.';
COMMENT ON COLUMN current."company"."director" IS 'Person who acts without power of attorney.';
COMMENT ON COLUMN current."company"."connections_graph" IS 'Graph of connections, as it came: its inner fields are not documented.';
COMMENT ON COLUMN current."company"."authorized_capital" IS 'Authorized capital. [RUB]';
COMMENT ON COLUMN current."company"."okved_main" IS 'Code of the main activity.';
COMMENT ON COLUMN current."company"."okved_name" IS 'Name of the main activity; where it is missing, look in okved_list.';
COMMENT ON COLUMN current."company"."employee_count" IS 'Average headcount; 0 only where the history confirms it.';
COMMENT ON COLUMN current."company"."avg_salary" IS 'Average monthly salary, computed; 0 stands for not computed. [RUB]';
COMMENT ON COLUMN current."company"."tax_regime" IS 'Tax regime now, where disclosed.';
COMMENT ON COLUMN current."company"."sme_category" IS 'Small-business category; not given if not registered or not obtained.';
COMMENT ON COLUMN current."company"."invalid_data" IS 'The register holds a record of unreliable data.';
COMMENT ON COLUMN current."company"."edo" IS 'Takes part in electronic document exchange; usually not given.';
COMMENT ON COLUMN current."company"."illegal_finance" IS 'Flag under the anti-money-laundering law.';
COMMENT ON COLUMN current."company"."mass_director" IS 'The manager heads several entities.';
COMMENT ON COLUMN current."company"."mass_founder" IS 'A founder is a mass founder.';
COMMENT ON COLUMN current."company"."unfair_supplier" IS 'Listed in the unfair-supplier register.';
COMMENT ON COLUMN current."company"."disqualified_persons" IS 'A disqualified person is among managers or founders.';
COMMENT ON COLUMN current."company"."sanctions" IS 'Present in sanctions lists.';
COMMENT ON COLUMN current."company"."sanctions_founders" IS 'Founders are present in sanctions lists.';
COMMENT ON COLUMN current."company"."mass_address" IS 'Mass-registration address.';
COMMENT ON COLUMN current."company"."invalid_address" IS 'A record of unreliable data stands on the address.';
COMMENT ON COLUMN current."company"."phone" IS 'Main phone; often not given.';
COMMENT ON COLUMN current."company"."email" IS 'Main e-mail address; often not given.';
COMMENT ON COLUMN current."company"."website" IS 'Main site; often not given.';
COMMENT ON COLUMN current."company"."vk_url" IS 'Page in VK.';
COMMENT ON COLUMN current."company"."ok_url" IS 'Page in OK.';
COMMENT ON COLUMN current."company"."tg_url" IS 'Page in Telegram.';
COMMENT ON COLUMN current."company"."ig_url" IS 'Page in Instagram.';
COMMENT ON COLUMN current."company"."birth_date" IS 'Day of birth, for a person or sole proprietor.';
COMMENT ON COLUMN current."company"."okpo" IS 'Statistics code: enterprise.';
COMMENT ON COLUMN current."company"."oktmo" IS 'Statistics code: municipal territory.';
COMMENT ON COLUMN current."company"."okato" IS 'Statistics code: administrative territory.';
COMMENT ON COLUMN current."company"."okopf" IS 'Statistics code: legal form.';
COMMENT ON COLUMN current."company"."okogu" IS 'Statistics code: governing body.';
COMMENT ON COLUMN current."company"."okfs" IS 'Statistics code: form of ownership.';
COMMENT ON COLUMN current."company"."pfr_number" IS 'Registration number in the pension fund.';
COMMENT ON COLUMN current."company"."fss_number" IS 'Registration number in the social insurance fund.';
COMMENT ON COLUMN current."company"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__ip_records" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__ip_records" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__ip_records" IS 'Latest confirmed: Registrations of a sole proprietor, the active one first.';
COMMENT ON COLUMN current."company__ip_records"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__ip_records"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__ip_records"."ip_records_no" IS 'Place in ip_records, counted from 1.';
COMMENT ON COLUMN current."company__ip_records"."ogrnip" IS 'Registration number of that record.';
COMMENT ON COLUMN current."company__ip_records"."name" IS 'Full name of the entrepreneur.';
COMMENT ON COLUMN current."company__ip_records"."registration_date" IS 'Day of the registration.';
COMMENT ON COLUMN current."company__ip_records"."termination_date" IS 'Day of the termination; not given while active.';
COMMENT ON COLUMN current."company__ip_records"."active" IS 'Whether the registration is in force.';
COMMENT ON COLUMN current."company__ip_records"."status" IS 'Status as the source words it.';
COMMENT ON COLUMN current."company__ip_records"."termination_reason" IS 'Reason of the termination.';
COMMENT ON COLUMN current."company__ip_records"."termination_kind" IS 'Kind of termination.';
COMMENT ON COLUMN current."company__ip_records"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__ip_records"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__ip_records"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__ip_records" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__directors" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__directors" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__directors" IS 'Latest confirmed: All managers.';
COMMENT ON COLUMN current."company__directors"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__directors"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__directors"."directors_no" IS 'Place in directors, counted from 1.';
COMMENT ON COLUMN current."company__directors"."name" IS 'Full name.';
COMMENT ON COLUMN current."company__directors"."item_inn" IS 'INN, where the register discloses it.';
COMMENT ON COLUMN current."company__directors"."position" IS 'Position.';
COMMENT ON COLUMN current."company__directors"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__directors"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__directors"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__directors" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__founders" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__founders" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__founders" IS 'Latest confirmed: Founders, without shares.';
COMMENT ON COLUMN current."company__founders"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__founders"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__founders"."founders_no" IS 'Place in founders, counted from 1.';
COMMENT ON COLUMN current."company__founders"."name" IS 'Name.';
COMMENT ON COLUMN current."company__founders"."item_inn" IS 'INN: 10 digits for a company, 12 for a person.';
COMMENT ON COLUMN current."company__founders"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__founders"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__founders"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__founders" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__founder_shares" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__founder_shares" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__founder_shares" IS 'Latest confirmed: Founders with shares.';
COMMENT ON COLUMN current."company__founder_shares"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__founder_shares"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__founder_shares"."founder_shares_no" IS 'Place in founder_shares, counted from 1.';
COMMENT ON COLUMN current."company__founder_shares"."name" IS 'Name.';
COMMENT ON COLUMN current."company__founder_shares"."item_inn" IS 'INN of the participant.';
COMMENT ON COLUMN current."company__founder_shares"."share_pct" IS 'Share of the authorized capital. [%]';
COMMENT ON COLUMN current."company__founder_shares"."share_rub" IS 'Nominal value of the share. [RUB]';
COMMENT ON COLUMN current."company__founder_shares"."date" IS 'Day the share was entered.';
COMMENT ON COLUMN current."company__founder_shares"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__founder_shares"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__founder_shares"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__founder_shares" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__beneficiaries" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__beneficiaries" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__beneficiaries" IS 'Latest confirmed: Ultimate owners; not known for every company.';
COMMENT ON COLUMN current."company__beneficiaries"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__beneficiaries"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__beneficiaries"."beneficiaries_no" IS 'Place in beneficiaries, counted from 1.';
COMMENT ON COLUMN current."company__beneficiaries"."name" IS 'Name.';
COMMENT ON COLUMN current."company__beneficiaries"."item_inn" IS 'INN.';
COMMENT ON COLUMN current."company__beneficiaries"."chain" IS 'Chain of ownership, as it came.';
COMMENT ON COLUMN current."company__beneficiaries"."share_pct" IS 'Share held through the chain. [%]';
COMMENT ON COLUMN current."company__beneficiaries"."type" IS 'Kind of owner.';
COMMENT ON COLUMN current."company__beneficiaries"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__beneficiaries"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__beneficiaries"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__beneficiaries" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__okved_list" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__okved_list" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__okved_list" IS 'Latest confirmed: All activities.';
COMMENT ON COLUMN current."company__okved_list"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__okved_list"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__okved_list"."okved_list_no" IS 'Place in okved_list, counted from 1.';
COMMENT ON COLUMN current."company__okved_list"."code" IS 'Activity code.';
COMMENT ON COLUMN current."company__okved_list"."name" IS 'Name of the activity.';
COMMENT ON COLUMN current."company__okved_list"."is_main" IS 'Whether it is the main one.';
COMMENT ON COLUMN current."company__okved_list"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__okved_list"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__okved_list"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__okved_list" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__employees_history" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__employees_history" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__employees_history" IS 'Latest confirmed: Average headcount by year.';
COMMENT ON COLUMN current."company__employees_history"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__employees_history"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__employees_history"."employees_history_no" IS 'Place in employees_history, counted from 1.';
COMMENT ON COLUMN current."company__employees_history"."year" IS 'Year.';
COMMENT ON COLUMN current."company__employees_history"."count" IS 'Average headcount.';
COMMENT ON COLUMN current."company__employees_history"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__employees_history"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__employees_history"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__employees_history" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__tax_debts" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__tax_debts" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__tax_debts" IS 'Latest confirmed: Tax debts on the card.';
COMMENT ON COLUMN current."company__tax_debts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__tax_debts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__tax_debts"."tax_debts_no" IS 'Place in tax_debts, counted from 1.';
COMMENT ON COLUMN current."company__tax_debts"."year" IS 'Year.';
COMMENT ON COLUMN current."company__tax_debts"."period" IS 'Period within the year.';
COMMENT ON COLUMN current."company__tax_debts"."kbkname" IS 'Tax or fee.';
COMMENT ON COLUMN current."company__tax_debts"."arrearsum" IS 'Arrears. [RUB]';
COMMENT ON COLUMN current."company__tax_debts"."penaltysum" IS 'Penalty interest. [RUB]';
COMMENT ON COLUMN current."company__tax_debts"."finesum" IS 'Fines. [RUB]';
COMMENT ON COLUMN current."company__tax_debts"."totalsum" IS 'Total. [RUB]';
COMMENT ON COLUMN current."company__tax_debts"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__tax_debts"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__tax_debts"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__tax_debts" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__tax_payments" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__tax_payments" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__tax_payments" IS 'Latest confirmed: Taxes paid.';
COMMENT ON COLUMN current."company__tax_payments"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__tax_payments"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__tax_payments"."tax_payments_no" IS 'Place in tax_payments, counted from 1.';
COMMENT ON COLUMN current."company__tax_payments"."year" IS 'Year.';
COMMENT ON COLUMN current."company__tax_payments"."kbk" IS 'Budget classification code.';
COMMENT ON COLUMN current."company__tax_payments"."kbkname" IS 'Tax or fee.';
COMMENT ON COLUMN current."company__tax_payments"."taxsum" IS 'Amount paid. [RUB]';
COMMENT ON COLUMN current."company__tax_payments"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__tax_payments"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__tax_payments"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__tax_payments" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__tax_years" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__tax_years" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__tax_years" IS 'Latest confirmed: Years with tax data.';
COMMENT ON COLUMN current."company__tax_years"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__tax_years"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__tax_years"."tax_years_no" IS 'Place in tax_years, counted from 1.';
COMMENT ON COLUMN current."company__tax_years"."value" IS 'Years with tax data.';
COMMENT ON COLUMN current."company__tax_years"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__tax_years"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__tax_years"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__tax_years" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__tax_regimes" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__tax_regimes" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__tax_regimes" IS 'Latest confirmed: Tax regimes by period.';
COMMENT ON COLUMN current."company__tax_regimes"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__tax_regimes"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__tax_regimes"."tax_regimes_no" IS 'Place in tax_regimes, counted from 1.';
COMMENT ON COLUMN current."company__tax_regimes"."year" IS 'Year.';
COMMENT ON COLUMN current."company__tax_regimes"."period" IS 'Period within the year.';
COMMENT ON COLUMN current."company__tax_regimes"."taxCode" IS 'Code of the regime.';
COMMENT ON COLUMN current."company__tax_regimes"."taxName" IS 'Name of the regime.';
COMMENT ON COLUMN current."company__tax_regimes"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__tax_regimes"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__tax_regimes"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__tax_regimes" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__phones" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__phones" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__phones" IS 'Latest confirmed: All known phones.';
COMMENT ON COLUMN current."company__phones"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__phones"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__phones"."phones_no" IS 'Place in phones, counted from 1.';
COMMENT ON COLUMN current."company__phones"."value" IS 'All known phones.';
COMMENT ON COLUMN current."company__phones"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__phones"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__phones"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__phones" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__emails" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__emails" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__emails" IS 'Latest confirmed: All known e-mail addresses.';
COMMENT ON COLUMN current."company__emails"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__emails"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__emails"."emails_no" IS 'Place in emails, counted from 1.';
COMMENT ON COLUMN current."company__emails"."value" IS 'All known e-mail addresses.';
COMMENT ON COLUMN current."company__emails"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__emails"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__emails"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__emails" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__websites" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__websites" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__websites" IS 'Latest confirmed: All known sites.';
COMMENT ON COLUMN current."company__websites"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__websites"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__websites"."websites_no" IS 'Place in websites, counted from 1.';
COMMENT ON COLUMN current."company__websites"."value" IS 'All known sites.';
COMMENT ON COLUMN current."company__websites"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__websites"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__websites"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__websites" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__licenses" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__licenses" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__licenses" IS 'Latest confirmed: Licences named on the card.';
COMMENT ON COLUMN current."company__licenses"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__licenses"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__licenses"."licenses_no" IS 'Place in licenses, counted from 1.';
COMMENT ON COLUMN current."company__licenses"."number" IS 'Number.';
COMMENT ON COLUMN current."company__licenses"."date" IS 'Day of issue.';
COMMENT ON COLUMN current."company__licenses"."authority" IS 'Licensing authority.';
COMMENT ON COLUMN current."company__licenses"."activity" IS 'Licensed activity.';
COMMENT ON COLUMN current."company__licenses"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__licenses"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__licenses"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__licenses" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__sro" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__sro" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__sro" IS 'Latest confirmed: Memberships in self-regulatory organisations.';
COMMENT ON COLUMN current."company__sro"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__sro"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__sro"."sro_no" IS 'Place in sro, counted from 1.';
COMMENT ON COLUMN current."company__sro"."name" IS 'Name of the organisation.';
COMMENT ON COLUMN current."company__sro"."item_inn" IS 'Its INN.';
COMMENT ON COLUMN current."company__sro"."date" IS 'Day of joining.';
COMMENT ON COLUMN current."company__sro"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__sro"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__sro"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__sro" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__address_history" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__address_history" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__address_history" IS 'Latest confirmed: Addresses of the past.';
COMMENT ON COLUMN current."company__address_history"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__address_history"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__address_history"."address_history_no" IS 'Place in address_history, counted from 1.';
COMMENT ON COLUMN current."company__address_history"."address" IS 'Address.';
COMMENT ON COLUMN current."company__address_history"."date" IS 'Day from which it held.';
COMMENT ON COLUMN current."company__address_history"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__address_history"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__address_history"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__address_history" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__previous_names" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__previous_names" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__previous_names" IS 'Latest confirmed: Names of the past.';
COMMENT ON COLUMN current."company__previous_names"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__previous_names"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__previous_names"."previous_names_no" IS 'Place in previous_names, counted from 1.';
COMMENT ON COLUMN current."company__previous_names"."value" IS 'Names of the past.';
COMMENT ON COLUMN current."company__previous_names"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__previous_names"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__previous_names"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__previous_names" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__tax_payments_by_year" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__tax_payments_by_year" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__tax_payments_by_year" IS 'Latest confirmed: Taxes paid, by year and tax.';
COMMENT ON COLUMN current."company__tax_payments_by_year"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__tax_payments_by_year"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__tax_payments_by_year"."year" IS 'Year.';
COMMENT ON COLUMN current."company__tax_payments_by_year"."tax_name" IS 'Tax or fee.';
COMMENT ON COLUMN current."company__tax_payments_by_year"."amount" IS 'Amount paid. [RUB]';
COMMENT ON COLUMN current."company__tax_payments_by_year"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__tax_payments_by_year"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__tax_payments_by_year"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__tax_payments_by_year" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__social_profiles" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__social_profiles" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__social_profiles" IS 'Latest confirmed: Pages in social networks.';
COMMENT ON COLUMN current."company__social_profiles"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__social_profiles"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__social_profiles"."network" IS 'Network: vk, ok and so on.';
COMMENT ON COLUMN current."company__social_profiles"."url" IS 'Link to the page.';
COMMENT ON COLUMN current."company__social_profiles"."name" IS 'Name of the page.';
COMMENT ON COLUMN current."company__social_profiles"."extra" IS 'What else the service knows of it, as it came.';
COMMENT ON COLUMN current."company__social_profiles"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__social_profiles"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__social_profiles"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__social_profiles" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."company__leaves" AS SELECT t.*, l.checked_at, l.collected_at FROM core."company__leaves" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'company';
COMMENT ON VIEW current."company__leaves" IS 'Latest confirmed: Leaves of what has no documented fields, one row each.';
COMMENT ON COLUMN current."company__leaves"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."company__leaves"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."company__leaves"."path" IS 'Where the leaf stands, as a JSONPath into the block.';
COMMENT ON COLUMN current."company__leaves"."value" IS 'The leaf as it came.';
COMMENT ON COLUMN current."company__leaves"."type" IS 'Its JSON type: string, number, boolean or null; object or array where it is empty.';
COMMENT ON COLUMN current."company__leaves"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."company__leaves"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."company__leaves"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."company__leaves" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'company' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."fssp" AS SELECT t.*, l.checked_at, l.collected_at FROM core."fssp" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'fssp';
COMMENT ON VIEW current."fssp" IS 'Latest confirmed: Enforcement proceedings against the company or person: one row, with counts by outcome and debts.';
COMMENT ON COLUMN current."fssp"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."fssp"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."fssp"."total_proceedings" IS 'Proceedings, active and ended.';
COMMENT ON COLUMN current."fssp"."active_proceedings" IS 'Proceedings without a reason of the end.';
COMMENT ON COLUMN current."fssp"."completed_proceedings" IS 'Proceedings that have ended.';
COMMENT ON COLUMN current."fssp"."total_debt_rub" IS 'Debt over all proceedings, read from their subjects; those without an amount add 0. [RUB]';
COMMENT ON COLUMN current."fssp"."active_debt_rub" IS 'Debt over the active proceedings. [RUB]';
COMMENT ON COLUMN current."fssp"."completed_paid" IS 'Ended because the debtor performed.';
COMMENT ON COLUMN current."fssp"."completed_no_assets" IS 'Ended because neither debtor nor assets were found; a bad sign.';
COMMENT ON COLUMN current."fssp"."completed_expired" IS 'Ended because the term ran out.';
COMMENT ON COLUMN current."fssp"."completed_returned" IS 'Ended by giving the document back to the claimant.';
COMMENT ON COLUMN current."fssp"."completed_other" IS 'Ended for another reason: cancelled, merged, or worded unclearly.';
COMMENT ON COLUMN current."fssp"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."fssp"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."fssp"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."fssp" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'fssp' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."fssp__proceedings" AS SELECT t.*, l.checked_at, l.collected_at FROM core."fssp__proceedings" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'fssp';
COMMENT ON VIEW current."fssp__proceedings" IS 'Latest confirmed: Proceedings, unsorted.';
COMMENT ON COLUMN current."fssp__proceedings"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."fssp__proceedings"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."fssp__proceedings"."proceedings_no" IS 'Place in proceedings, counted from 1.';
COMMENT ON COLUMN current."fssp__proceedings"."exe_production" IS 'Number of the proceeding with its day of initiation; identifies it.';
COMMENT ON COLUMN current."fssp__proceedings"."process_date" IS 'Day of initiation; not given where the number has no date.';
COMMENT ON COLUMN current."fssp__proceedings"."subject" IS 'What is enforced.';
COMMENT ON COLUMN current."fssp__proceedings"."subject_matter" IS 'What is enforced with its amount; the same as subject where there is none.';
COMMENT ON COLUMN current."fssp__proceedings"."sum" IS 'Debt of this proceeding; 0 stands for no amount, claims for an act included. [RUB]';
COMMENT ON COLUMN current."fssp__proceedings"."is_active" IS 'Whether it goes on: no reason of an end is given.';
COMMENT ON COLUMN current."fssp__proceedings"."end_reason" IS 'Reason of the end as the source words it, an article of law; none while active.';
COMMENT ON COLUMN current."fssp__proceedings"."completion_reason" IS 'Reason of the end, normalised; none while active.';
COMMENT ON COLUMN current."fssp__proceedings"."debtor_name" IS 'Debtor as named at initiation: it may be an old name or name a branch.';
COMMENT ON COLUMN current."fssp__proceedings"."department" IS 'Department of bailiffs.';
COMMENT ON COLUMN current."fssp__proceedings"."department_address" IS 'Address of the department in one line, gaps between commas included.';
COMMENT ON COLUMN current."fssp__proceedings"."bailiff" IS 'Bailiff; often not given.';
COMMENT ON COLUMN current."fssp__proceedings"."bailiff_phone" IS 'Phone of the bailiff, given only with the name.';
COMMENT ON COLUMN current."fssp__proceedings"."document_type" IS 'Kind of document that is enforced: writ, court order, tax act and so on.';
COMMENT ON COLUMN current."fssp__proceedings"."case_number" IS 'Number of the document or case, in whatever format the issuer has.';
COMMENT ON COLUMN current."fssp__proceedings"."doc_date" IS 'Day of the document; not always given.';
COMMENT ON COLUMN current."fssp__proceedings"."court_name" IS 'Body that issued the document; none where the ground is not a court''s.';
COMMENT ON COLUMN current."fssp__proceedings"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."fssp__proceedings"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."fssp__proceedings"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."fssp__proceedings" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'fssp' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."arbitration" AS SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'arbitration';
COMMENT ON VIEW current."arbitration" IS 'Latest confirmed: Arbitration cases of the company or person: one row, with counts by role and outcome.';
COMMENT ON COLUMN current."arbitration"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."arbitration"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."arbitration"."total_cases" IS 'Cases without duplicates.';
COMMENT ON COLUMN current."arbitration"."as_plaintiff" IS 'Cases as plaintiff.';
COMMENT ON COLUMN current."arbitration"."as_respondent" IS 'Cases as respondent.';
COMMENT ON COLUMN current."arbitration"."as_third" IS 'Cases as third or other party.';
COMMENT ON COLUMN current."arbitration"."won" IS 'Cases won as plaintiff.';
COMMENT ON COLUMN current."arbitration"."lost" IS 'Cases lost as respondent.';
COMMENT ON COLUMN current."arbitration"."total_claim_sum" IS 'Sum of the claims that were extracted. [RUB]';
COMMENT ON COLUMN current."arbitration"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."arbitration"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."arbitration"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'arbitration' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."arbitration__cases" AS SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'arbitration';
COMMENT ON VIEW current."arbitration__cases" IS 'Latest confirmed: Cases, newest first.';
COMMENT ON COLUMN current."arbitration__cases"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."arbitration__cases"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."arbitration__cases"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases"."case_id" IS 'Identifier of the case card.';
COMMENT ON COLUMN current."arbitration__cases"."case_number" IS 'Number of the case.';
COMMENT ON COLUMN current."arbitration__cases"."date" IS 'Filing date.';
COMMENT ON COLUMN current."arbitration__cases"."type" IS 'Kind of case.';
COMMENT ON COLUMN current."arbitration__cases"."url" IS 'Link to the case card.';
COMMENT ON COLUMN current."arbitration__cases"."file_url" IS 'Link to the court act; almost never given.';
COMMENT ON COLUMN current."arbitration__cases"."claim_sum" IS 'Sum claimed; 0 stands for not extracted. [RUB]';
COMMENT ON COLUMN current."arbitration__cases"."claim_sum_unavailable" IS 'Set when first collected and never cleared: trust claim_sum.';
COMMENT ON COLUMN current."arbitration__cases"."judge" IS 'Judge; practically empty, the name stands inside court.';
COMMENT ON COLUMN current."arbitration__cases"."court" IS 'Court, often with the judge''s name on a line above.';
COMMENT ON COLUMN current."arbitration__cases"."role" IS 'Role of the INN in the case.';
COMMENT ON COLUMN current."arbitration__cases"."result" IS 'Outcome for the INN, once recognised.';
COMMENT ON COLUMN current."arbitration__cases"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."arbitration__cases"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."arbitration__cases"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'arbitration' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."arbitration__cases__plaintiffs" AS SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__plaintiffs" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'arbitration';
COMMENT ON VIEW current."arbitration__cases__plaintiffs" IS 'Latest confirmed: Plaintiffs, at most 10.';
COMMENT ON COLUMN current."arbitration__cases__plaintiffs"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."arbitration__cases__plaintiffs"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."arbitration__cases__plaintiffs"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__plaintiffs"."plaintiffs_no" IS 'Place in plaintiffs, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__plaintiffs"."name" IS 'Name; often with address and INN in the same line.';
COMMENT ON COLUMN current."arbitration__cases__plaintiffs"."item_inn" IS 'INN of the party; almost never given.';
COMMENT ON COLUMN current."arbitration__cases__plaintiffs"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."arbitration__cases__plaintiffs"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."arbitration__cases__plaintiffs"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__plaintiffs" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'arbitration' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."arbitration__cases__respondents" AS SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__respondents" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'arbitration';
COMMENT ON VIEW current."arbitration__cases__respondents" IS 'Latest confirmed: Respondents, at most 10.';
COMMENT ON COLUMN current."arbitration__cases__respondents"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."arbitration__cases__respondents"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."arbitration__cases__respondents"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__respondents"."respondents_no" IS 'Place in respondents, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__respondents"."name" IS 'Name; often with address and INN in the same line.';
COMMENT ON COLUMN current."arbitration__cases__respondents"."item_inn" IS 'INN of the party; almost never given.';
COMMENT ON COLUMN current."arbitration__cases__respondents"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."arbitration__cases__respondents"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."arbitration__cases__respondents"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__respondents" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'arbitration' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."arbitration__cases__third_parties" AS SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__third_parties" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'arbitration';
COMMENT ON VIEW current."arbitration__cases__third_parties" IS 'Latest confirmed: Third parties, at most 10.';
COMMENT ON COLUMN current."arbitration__cases__third_parties"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."arbitration__cases__third_parties"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."arbitration__cases__third_parties"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__third_parties"."third_parties_no" IS 'Place in third_parties, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__third_parties"."name" IS 'Name of the party.';
COMMENT ON COLUMN current."arbitration__cases__third_parties"."address" IS 'Address of the party.';
COMMENT ON COLUMN current."arbitration__cases__third_parties"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."arbitration__cases__third_parties"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."arbitration__cases__third_parties"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__third_parties" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'arbitration' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."arbitration__cases__other_parties" AS SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__other_parties" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'arbitration';
COMMENT ON VIEW current."arbitration__cases__other_parties" IS 'Latest confirmed: Other parties; practically empty.';
COMMENT ON COLUMN current."arbitration__cases__other_parties"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."arbitration__cases__other_parties"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."arbitration__cases__other_parties"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__other_parties"."other_parties_no" IS 'Place in other_parties, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__other_parties"."name" IS 'Name of the party.';
COMMENT ON COLUMN current."arbitration__cases__other_parties"."address" IS 'Address of the party.';
COMMENT ON COLUMN current."arbitration__cases__other_parties"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."arbitration__cases__other_parties"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."arbitration__cases__other_parties"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__other_parties" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'arbitration' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."arbitration__cases__instances" AS SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__instances" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'arbitration';
COMMENT ON VIEW current."arbitration__cases__instances" IS 'Latest confirmed: Instances, at most 5; filled on enrichment.';
COMMENT ON COLUMN current."arbitration__cases__instances"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."arbitration__cases__instances"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."arbitration__cases__instances"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__instances"."instances_no" IS 'Place in instances, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__instances"."name" IS 'Name of the instance.';
COMMENT ON COLUMN current."arbitration__cases__instances"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."arbitration__cases__instances"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."arbitration__cases__instances"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__instances" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'arbitration' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."arbitration__cases__instances__events" AS SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__instances__events" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'arbitration';
COMMENT ON VIEW current."arbitration__cases__instances__events" IS 'Latest confirmed: Steps in this instance.';
COMMENT ON COLUMN current."arbitration__cases__instances__events"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."arbitration__cases__instances__events"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."arbitration__cases__instances__events"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__instances__events"."instances_no" IS 'Place in instances, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__instances__events"."events_no" IS 'Place in events, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__instances__events"."date" IS 'Day of the step.';
COMMENT ON COLUMN current."arbitration__cases__instances__events"."description" IS 'What happened.';
COMMENT ON COLUMN current."arbitration__cases__instances__events"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."arbitration__cases__instances__events"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."arbitration__cases__instances__events"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__instances__events" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'arbitration' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."arbitration__cases__movements" AS SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__movements" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'arbitration';
COMMENT ON VIEW current."arbitration__cases__movements" IS 'Latest confirmed: Steps of the case without instances, at most 20.';
COMMENT ON COLUMN current."arbitration__cases__movements"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."arbitration__cases__movements"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."arbitration__cases__movements"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__movements"."movements_no" IS 'Place in movements, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__movements"."date" IS 'Day of the step.';
COMMENT ON COLUMN current."arbitration__cases__movements"."description" IS 'What happened.';
COMMENT ON COLUMN current."arbitration__cases__movements"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."arbitration__cases__movements"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."arbitration__cases__movements"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__movements" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'arbitration' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."arbitration__cases__plaintiff_inns" AS SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__plaintiff_inns" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'arbitration';
COMMENT ON VIEW current."arbitration__cases__plaintiff_inns" IS 'Latest confirmed: INNs of plaintiffs; practically empty.';
COMMENT ON COLUMN current."arbitration__cases__plaintiff_inns"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."arbitration__cases__plaintiff_inns"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."arbitration__cases__plaintiff_inns"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__plaintiff_inns"."plaintiff_inns_no" IS 'Place in plaintiff_inns, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__plaintiff_inns"."value" IS 'INNs of plaintiffs; practically empty.';
COMMENT ON COLUMN current."arbitration__cases__plaintiff_inns"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."arbitration__cases__plaintiff_inns"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."arbitration__cases__plaintiff_inns"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__plaintiff_inns" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'arbitration' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."arbitration__cases__respondent_inns" AS SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__respondent_inns" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'arbitration';
COMMENT ON VIEW current."arbitration__cases__respondent_inns" IS 'Latest confirmed: INNs of respondents; practically empty.';
COMMENT ON COLUMN current."arbitration__cases__respondent_inns"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."arbitration__cases__respondent_inns"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."arbitration__cases__respondent_inns"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__respondent_inns"."respondent_inns_no" IS 'Place in respondent_inns, counted from 1.';
COMMENT ON COLUMN current."arbitration__cases__respondent_inns"."value" IS 'INNs of respondents; practically empty.';
COMMENT ON COLUMN current."arbitration__cases__respondent_inns"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."arbitration__cases__respondent_inns"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."arbitration__cases__respondent_inns"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."arbitration__cases__respondent_inns" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'arbitration' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."bankruptcy" AS SELECT t.*, l.checked_at, l.collected_at FROM core."bankruptcy" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'bankruptcy';
COMMENT ON VIEW current."bankruptcy" IS 'Latest confirmed: Bankruptcy of the company or the person: one row, with the heaviest stage.';
COMMENT ON COLUMN current."bankruptcy"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."bankruptcy"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."bankruptcy"."has_bankruptcy" IS 'Whether a bankruptcy stage was recognised; a card alone is none.';
COMMENT ON COLUMN current."bankruptcy"."has_intention" IS 'Whether a notice of the intention to go to court is published.';
COMMENT ON COLUMN current."bankruptcy"."status" IS 'Heaviest stage recognised.';
COMMENT ON COLUMN current."bankruptcy"."total_cases" IS 'Debtor cards found, not bankruptcy cases.';
COMMENT ON COLUMN current."bankruptcy"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."bankruptcy"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."bankruptcy"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."bankruptcy" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'bankruptcy' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."bankruptcy__cases" AS SELECT t.*, l.checked_at, l.collected_at FROM core."bankruptcy__cases" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'bankruptcy';
COMMENT ON VIEW current."bankruptcy__cases" IS 'Latest confirmed: Debtor cards, usually one.';
COMMENT ON COLUMN current."bankruptcy__cases"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."bankruptcy__cases"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."bankruptcy__cases"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."bankruptcy__cases"."status" IS 'Recognised stage, or the start of the source''s wording in lower case.';
COMMENT ON COLUMN current."bankruptcy__cases"."status_raw" IS 'Stage as the source words it.';
COMMENT ON COLUMN current."bankruptcy__cases"."name" IS 'Debtor''s name on the card.';
COMMENT ON COLUMN current."bankruptcy__cases"."item_inn" IS 'Debtor''s INN on the card.';
COMMENT ON COLUMN current."bankruptcy__cases"."ogrn" IS 'Debtor''s registration number on the card.';
COMMENT ON COLUMN current."bankruptcy__cases"."region" IS 'Region; usually not given.';
COMMENT ON COLUMN current."bankruptcy__cases"."case_number" IS 'Number of the arbitration-court case, where a publication has one.';
COMMENT ON COLUMN current."bankruptcy__cases"."arbitration_manager_name" IS 'Name of the arbitration manager.';
COMMENT ON COLUMN current."bankruptcy__cases"."arbitration_manager_guid" IS 'Identifier of the manager in the bankruptcy register.';
COMMENT ON COLUMN current."bankruptcy__cases"."arbitration_manager_type" IS 'Whether the manager is a person or a company.';
COMMENT ON COLUMN current."bankruptcy__cases"."update_date" IS 'Last change of the card. [UTC]';
COMMENT ON COLUMN current."bankruptcy__cases"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."bankruptcy__cases"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."bankruptcy__cases"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."bankruptcy__cases" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'bankruptcy' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."contracts" AS SELECT t.*, l.checked_at, l.collected_at FROM core."contracts" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'contracts';
COMMENT ON VIEW current."contracts" IS 'Latest confirmed: State contracts of the company as supplier and customer: one row, with counts and amounts by role.';
COMMENT ON COLUMN current."contracts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."contracts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."contracts"."total_contracts" IS 'Contracts in this answer; 5000 is the cap and says at least so many.';
COMMENT ON COLUMN current."contracts"."total_amount" IS 'Prices of the contracts in both roles. [RUB]';
COMMENT ON COLUMN current."contracts"."supplier_amount" IS 'Prices of the contracts as supplier. [RUB]';
COMMENT ON COLUMN current."contracts"."customer_amount" IS 'Prices of the contracts as customer. [RUB]';
COMMENT ON COLUMN current."contracts"."as_supplier" IS 'Contracts as supplier.';
COMMENT ON COLUMN current."contracts"."as_customer" IS 'Contracts as customer.';
COMMENT ON COLUMN current."contracts"."fz44_contracts" IS 'Contracts under law 44.';
COMMENT ON COLUMN current."contracts"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."contracts"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."contracts"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."contracts" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'contracts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."contracts__contracts" AS SELECT t.*, l.checked_at, l.collected_at FROM core."contracts__contracts" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'contracts';
COMMENT ON VIEW current."contracts__contracts" IS 'Latest confirmed: Contracts, at most 5000.';
COMMENT ON COLUMN current."contracts__contracts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."contracts__contracts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."contracts__contracts"."contracts_no" IS 'Place in contracts, counted from 1.';
COMMENT ON COLUMN current."contracts__contracts"."reg_num" IS 'Number in the register of contracts.';
COMMENT ON COLUMN current."contracts__contracts"."subject" IS 'Subject.';
COMMENT ON COLUMN current."contracts__contracts"."amount" IS 'Price. [RUB]';
COMMENT ON COLUMN current."contracts__contracts"."paid_sum" IS 'Payment planned for the current year, not what was paid; given for one contract in fifty. [RUB]';
COMMENT ON COLUMN current."contracts__contracts"."sign_date" IS 'Day of signing.';
COMMENT ON COLUMN current."contracts__contracts"."contract_stage" IS 'Stage, a code of the register; practically never given.';
COMMENT ON COLUMN current."contracts__contracts"."okpd2_code" IS 'Product classifier code of the dearest position.';
COMMENT ON COLUMN current."contracts__contracts"."okpd2_name" IS 'Name of that code.';
COMMENT ON COLUMN current."contracts__contracts"."delivery_place" IS 'Place of delivery; rarely given.';
COMMENT ON COLUMN current."contracts__contracts"."customer_name" IS 'Customer.';
COMMENT ON COLUMN current."contracts__contracts"."customer_inn" IS 'INN of the customer.';
COMMENT ON COLUMN current."contracts__contracts"."supplier_name" IS 'Supplier.';
COMMENT ON COLUMN current."contracts__contracts"."supplier_inn" IS 'INN of the supplier: 10 digits, 12 for a sole proprietor.';
COMMENT ON COLUMN current."contracts__contracts"."role" IS 'Role of the INN asked.';
COMMENT ON COLUMN current."contracts__contracts"."law" IS 'Law of the purchase; for now fz44 alone.';
COMMENT ON COLUMN current."contracts__contracts"."source" IS 'Channel that brought it; eis_procurement is the official one.';
COMMENT ON COLUMN current."contracts__contracts"."url" IS 'Link to the contract card.';
COMMENT ON COLUMN current."contracts__contracts"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."contracts__contracts"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."contracts__contracts"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."contracts__contracts" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'contracts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."contracts__contracts__products" AS SELECT t.*, l.checked_at, l.collected_at FROM core."contracts__contracts__products" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'contracts';
COMMENT ON VIEW current."contracts__contracts__products" IS 'Latest confirmed: Positions of the specification; given for one contract in fifty.';
COMMENT ON COLUMN current."contracts__contracts__products"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."contracts__contracts__products"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."contracts__contracts__products"."contracts_no" IS 'Place in contracts, counted from 1.';
COMMENT ON COLUMN current."contracts__contracts__products"."products_no" IS 'Place in products, counted from 1.';
COMMENT ON COLUMN current."contracts__contracts__products"."okpd2_code" IS 'Product classifier code.';
COMMENT ON COLUMN current."contracts__contracts__products"."okpd2_name" IS 'Name of that code.';
COMMENT ON COLUMN current."contracts__contracts__products"."name" IS 'Name of the position.';
COMMENT ON COLUMN current."contracts__contracts__products"."quantity" IS 'Quantity, in units; may be 0.';
COMMENT ON COLUMN current."contracts__contracts__products"."unit" IS 'Unit of measure; often not given.';
COMMENT ON COLUMN current."contracts__contracts__products"."price" IS 'Price of one unit. [RUB]';
COMMENT ON COLUMN current."contracts__contracts__products"."total_sum" IS 'Price of the position. [RUB]';
COMMENT ON COLUMN current."contracts__contracts__products"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."contracts__contracts__products"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."contracts__contracts__products"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."contracts__contracts__products" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'contracts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."contracts__by_year" AS SELECT t.*, l.checked_at, l.collected_at FROM core."contracts__by_year" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'contracts';
COMMENT ON VIEW current."contracts__by_year" IS 'Latest confirmed: Contracts by the year of signing.';
COMMENT ON COLUMN current."contracts__by_year"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."contracts__by_year"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."contracts__by_year"."year" IS 'Year of signing.';
COMMENT ON COLUMN current."contracts__by_year"."count" IS 'Contracts signed in it.';
COMMENT ON COLUMN current."contracts__by_year"."amount" IS 'Their prices together. [RUB]';
COMMENT ON COLUMN current."contracts__by_year"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."contracts__by_year"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."contracts__by_year"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."contracts__by_year" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'contracts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."financial" AS SELECT t.*, l.checked_at, l.collected_at FROM core."financial" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'financial';
COMMENT ON VIEW current."financial" IS 'Latest confirmed: Financial statements: one row per company; amounts are in the tables of indicators and lines.';
COMMENT ON COLUMN current."financial"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."financial"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."financial"."has_data" IS 'Whether statements were found.';
COMMENT ON COLUMN current."financial"."okpo" IS 'Statistics code of the enterprise; almost never given.';
COMMENT ON COLUMN current."financial"."employee_count" IS 'Headcount; 0 stands for not obtained.';
COMMENT ON COLUMN current."financial"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."financial"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."financial"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."financial" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'financial' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."financial__years" AS SELECT t.*, l.checked_at, l.collected_at FROM core."financial__years" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'financial';
COMMENT ON VIEW current."financial__years" IS 'Latest confirmed: Years with data.';
COMMENT ON COLUMN current."financial__years"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."financial__years"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."financial__years"."years_no" IS 'Place in years, counted from 1.';
COMMENT ON COLUMN current."financial__years"."value" IS 'Years with data.';
COMMENT ON COLUMN current."financial__years"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."financial__years"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."financial__years"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."financial__years" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'financial' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."financial__employees_history" AS SELECT t.*, l.checked_at, l.collected_at FROM core."financial__employees_history" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'financial';
COMMENT ON VIEW current."financial__employees_history" IS 'Latest confirmed: Headcount by year; almost never given.';
COMMENT ON COLUMN current."financial__employees_history"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."financial__employees_history"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."financial__employees_history"."employees_history_no" IS 'Place in employees_history, counted from 1.';
COMMENT ON COLUMN current."financial__employees_history"."year" IS 'Year.';
COMMENT ON COLUMN current."financial__employees_history"."count" IS 'Headcount.';
COMMENT ON COLUMN current."financial__employees_history"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."financial__employees_history"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."financial__employees_history"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."financial__employees_history" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'financial' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."financial__indicators" AS SELECT t.*, l.checked_at, l.collected_at FROM core."financial__indicators" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'financial';
COMMENT ON VIEW current."financial__indicators" IS 'Latest confirmed: One indicator of one year.';
COMMENT ON COLUMN current."financial__indicators"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."financial__indicators"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."financial__indicators"."year" IS 'Year of the statements.';
COMMENT ON COLUMN current."financial__indicators"."indicator" IS 'Name of the indicator, as the service names it.';
COMMENT ON COLUMN current."financial__indicators"."amount" IS 'Its amount. [RUB]';
COMMENT ON COLUMN current."financial__indicators"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."financial__indicators"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."financial__indicators"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."financial__indicators" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'financial' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."financial__tax_burden_pct" AS SELECT t.*, l.checked_at, l.collected_at FROM core."financial__tax_burden_pct" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'financial';
COMMENT ON VIEW current."financial__tax_burden_pct" IS 'Latest confirmed: Tax burden, in the years in which both lines are known.';
COMMENT ON COLUMN current."financial__tax_burden_pct"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."financial__tax_burden_pct"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."financial__tax_burden_pct"."year" IS 'Year of the statements.';
COMMENT ON COLUMN current."financial__tax_burden_pct"."value" IS 'Taxes paid (line 4124) as a share of revenue (line 2110), to hundredths. [%]';
COMMENT ON COLUMN current."financial__tax_burden_pct"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."financial__tax_burden_pct"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."financial__tax_burden_pct"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."financial__tax_burden_pct" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'financial' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."financial__lines" AS SELECT t.*, l.checked_at, l.collected_at FROM core."financial__lines" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'financial';
COMMENT ON VIEW current."financial__lines" IS 'Latest confirmed: One line of one form of one year.';
COMMENT ON COLUMN current."financial__lines"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."financial__lines"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."financial__lines"."form" IS 'Form of the statements.';
COMMENT ON COLUMN current."financial__lines"."year" IS 'Year of the statements.';
COMMENT ON COLUMN current."financial__lines"."line_code" IS 'Code of the line.';
COMMENT ON COLUMN current."financial__lines"."amount" IS 'Its amount. [RUB]';
COMMENT ON COLUMN current."financial__lines"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."financial__lines"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."financial__lines"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."financial__lines" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'financial' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."pledges" AS SELECT t.*, l.checked_at, l.collected_at FROM core."pledges" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'pledges';
COMMENT ON VIEW current."pledges" IS 'Latest confirmed: Notices of pledge and leasing: one row per company, with the number that the source claims.';
COMMENT ON COLUMN current."pledges"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."pledges"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."pledges"."total_pledges" IS 'Notices that the source claims, leasing included; may exceed those fetched.';
COMMENT ON COLUMN current."pledges"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."pledges"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."pledges"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."pledges" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'pledges' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."pledges__pledges" AS SELECT t.*, l.checked_at, l.collected_at FROM core."pledges__pledges" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'pledges';
COMMENT ON VIEW current."pledges__pledges" IS 'Latest confirmed: Notices fetched.';
COMMENT ON COLUMN current."pledges__pledges"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."pledges__pledges"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."pledges__pledges"."pledges_no" IS 'Place in pledges, counted from 1.';
COMMENT ON COLUMN current."pledges__pledges"."id" IS 'Number of the notice: groups joined by hyphens for notaries, digits alone for leasing.';
COMMENT ON COLUMN current."pledges__pledges"."reg_date" IS 'Day of registration.';
COMMENT ON COLUMN current."pledges__pledges"."source" IS 'Register: notary for pledges, fedresurs for leasing.';
COMMENT ON COLUMN current."pledges__pledges"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."pledges__pledges"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."pledges__pledges"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."pledges__pledges" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'pledges' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."pledges__pledges__pledgors" AS SELECT t.*, l.checked_at, l.collected_at FROM core."pledges__pledges__pledgors" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'pledges';
COMMENT ON VIEW current."pledges__pledges__pledgors" IS 'Latest confirmed: Who gave it: one for leasing, none for notaries.';
COMMENT ON COLUMN current."pledges__pledges__pledgors"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."pledges__pledges__pledgors"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."pledges__pledges__pledgors"."pledges_no" IS 'Place in pledges, counted from 1.';
COMMENT ON COLUMN current."pledges__pledges__pledgors"."pledgors_no" IS 'Place in pledgors, counted from 1.';
COMMENT ON COLUMN current."pledges__pledges__pledgors"."name" IS 'Word for the role, not the name of anybody.';
COMMENT ON COLUMN current."pledges__pledges__pledgors"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."pledges__pledges__pledgors"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."pledges__pledges__pledgors"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."pledges__pledges__pledgors" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'pledges' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."pledges__pledges__pledgees" AS SELECT t.*, l.checked_at, l.collected_at FROM core."pledges__pledges__pledgees" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'pledges';
COMMENT ON VIEW current."pledges__pledges__pledgees" IS 'Latest confirmed: Who holds it: one for leasing, none for notaries.';
COMMENT ON COLUMN current."pledges__pledges__pledgees"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."pledges__pledges__pledgees"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."pledges__pledges__pledgees"."pledges_no" IS 'Place in pledges, counted from 1.';
COMMENT ON COLUMN current."pledges__pledges__pledgees"."pledgees_no" IS 'Place in pledgees, counted from 1.';
COMMENT ON COLUMN current."pledges__pledges__pledgees"."name" IS 'Word for the role, not the name of anybody.';
COMMENT ON COLUMN current."pledges__pledges__pledgees"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."pledges__pledges__pledgees"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."pledges__pledges__pledgees"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."pledges__pledges__pledgees" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'pledges' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."pledges__pledges__properties" AS SELECT t.*, l.checked_at, l.collected_at FROM core."pledges__pledges__properties" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'pledges';
COMMENT ON VIEW current."pledges__pledges__properties" IS 'Latest confirmed: Things pledged or leased, from none to several hundred.';
COMMENT ON COLUMN current."pledges__pledges__properties"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."pledges__pledges__properties"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."pledges__pledges__properties"."pledges_no" IS 'Place in pledges, counted from 1.';
COMMENT ON COLUMN current."pledges__pledges__properties"."properties_no" IS 'Place in properties, counted from 1.';
COMMENT ON COLUMN current."pledges__pledges__properties"."description" IS 'Description, with the vehicle''s number inside.';
COMMENT ON COLUMN current."pledges__pledges__properties"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."pledges__pledges__properties"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."pledges__pledges__properties"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."pledges__pledges__properties" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'pledges' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."inspections" AS SELECT t.*, l.checked_at, l.collected_at FROM core."inspections" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'inspections';
COMMENT ON VIEW current."inspections" IS 'Latest confirmed: Inspections of the company: one row, with counts; all but the total count the cards fetched.';
COMMENT ON COLUMN current."inspections"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."inspections"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."inspections"."total" IS 'Inspections that the register announces; may be far more than those fetched.';
COMMENT ON COLUMN current."inspections"."completed" IS 'Completed ones among those fetched.';
COMMENT ON COLUMN current."inspections"."with_violations" IS 'Ones with violations among those fetched.';
COMMENT ON COLUMN current."inspections"."planned" IS 'Planned ones among those fetched.';
COMMENT ON COLUMN current."inspections"."unplanned" IS 'Unplanned ones among those fetched.';
COMMENT ON COLUMN current."inspections"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."inspections"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."inspections"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."inspections" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'inspections' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."inspections__inspections" AS SELECT t.*, l.checked_at, l.collected_at FROM core."inspections__inspections" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'inspections';
COMMENT ON VIEW current."inspections__inspections" IS 'Latest confirmed: Inspections fetched; the source caps their number.';
COMMENT ON COLUMN current."inspections__inspections"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."inspections__inspections"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."inspections__inspections"."inspections_no" IS 'Place in inspections, counted from 1.';
COMMENT ON COLUMN current."inspections__inspections"."number" IS 'Number in the register; its first two digits are the region.';
COMMENT ON COLUMN current."inspections__inspections"."type" IS 'Whether it was planned.';
COMMENT ON COLUMN current."inspections__inspections"."method" IS 'On site, by papers, or both.';
COMMENT ON COLUMN current."inspections__inspections"."start_date" IS 'First day.';
COMMENT ON COLUMN current."inspections__inspections"."end_date" IS 'Last day; almost never given.';
COMMENT ON COLUMN current."inspections__inspections"."authority" IS 'Body that inspects; almost never given.';
COMMENT ON COLUMN current."inspections__inspections"."status" IS 'Status as the register words it.';
COMMENT ON COLUMN current."inspections__inspections"."has_violations" IS 'Whether violations were found.';
COMMENT ON COLUMN current."inspections__inspections"."purpose" IS 'Subject and purpose, with the acts referred to.';
COMMENT ON COLUMN current."inspections__inspections"."violations_text" IS 'Violations found; almost never given.';
COMMENT ON COLUMN current."inspections__inspections"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."inspections__inspections"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."inspections__inspections"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."inspections__inspections" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'inspections' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."risk_flags" AS SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'risk_flags';
COMMENT ON VIEW current."risk_flags" IS 'Latest confirmed: Risk flags of the company: one row; the full check carries the flags, the disqualified and the linked alone.';
COMMENT ON COLUMN current."risk_flags"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."risk_flags"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."risk_flags"."mass_director" IS 'The manager heads five entities or more.';
COMMENT ON COLUMN current."risk_flags"."mass_founder" IS 'A founder takes part in five entities or more.';
COMMENT ON COLUMN current."risk_flags"."mass_address" IS 'The address is a mass-registration address.';
COMMENT ON COLUMN current."risk_flags"."disqualified_persons" IS 'A manager or founder of today is disqualified.';
COMMENT ON COLUMN current."risk_flags"."authorized_capital" IS 'Authorized capital; 0 stands for no data. [RUB]';
COMMENT ON COLUMN current."risk_flags"."status_name" IS 'Status in words; none where it could not be told.';
COMMENT ON COLUMN current."risk_flags"."employee_count" IS 'Headcount; 0 stands for no data.';
COMMENT ON COLUMN current."risk_flags"."sme_category" IS 'Small-business category; the block msp is surer.';
COMMENT ON COLUMN current."risk_flags"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."risk_flags"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."risk_flags"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'risk_flags' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."risk_flags__disqualified_records" AS SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__disqualified_records" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'risk_flags';
COMMENT ON VIEW current."risk_flags__disqualified_records" IS 'Latest confirmed: Disqualified persons.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."disqualified_records_no" IS 'Place in disqualified_records, counted from 1.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."queried_name" IS 'Name that was looked for.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."matched_name" IS 'Name in the register of disqualified persons.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."birth_date" IS 'Day of birth.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."company" IS 'Company in which the offence was committed.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."position" IS 'Position held there.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."offence" IS 'Offence.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."start_date" IS 'First day of the disqualification.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."end_date" IS 'Last day of the disqualification.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."term" IS 'Term in words.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."risk_flags__disqualified_records"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."risk_flags__disqualified_records"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__disqualified_records" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'risk_flags' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."risk_flags__employees_history" AS SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__employees_history" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'risk_flags';
COMMENT ON VIEW current."risk_flags__employees_history" IS 'Latest confirmed: Headcount by year, the latest first.';
COMMENT ON COLUMN current."risk_flags__employees_history"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."risk_flags__employees_history"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."risk_flags__employees_history"."employees_history_no" IS 'Place in employees_history, counted from 1.';
COMMENT ON COLUMN current."risk_flags__employees_history"."year" IS 'Year of the average.';
COMMENT ON COLUMN current."risk_flags__employees_history"."count" IS 'Average headcount of that year.';
COMMENT ON COLUMN current."risk_flags__employees_history"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."risk_flags__employees_history"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."risk_flags__employees_history"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__employees_history" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'risk_flags' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."risk_flags__founder_shares" AS SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__founder_shares" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'risk_flags';
COMMENT ON VIEW current."risk_flags__founder_shares" IS 'Latest confirmed: Founders with shares.';
COMMENT ON COLUMN current."risk_flags__founder_shares"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."risk_flags__founder_shares"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."risk_flags__founder_shares"."founder_shares_no" IS 'Place in founder_shares, counted from 1.';
COMMENT ON COLUMN current."risk_flags__founder_shares"."name" IS 'Name of the founder.';
COMMENT ON COLUMN current."risk_flags__founder_shares"."item_inn" IS 'INN: 12 digits for a person, 10 for a company; not always known.';
COMMENT ON COLUMN current."risk_flags__founder_shares"."share_pct" IS 'Share of the authorized capital; 0 stands for not disclosed. [%]';
COMMENT ON COLUMN current."risk_flags__founder_shares"."share_rub" IS 'Nominal value of the share; 0 stands for not disclosed. [RUB]';
COMMENT ON COLUMN current."risk_flags__founder_shares"."date" IS 'Day the share was entered; almost never given.';
COMMENT ON COLUMN current."risk_flags__founder_shares"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."risk_flags__founder_shares"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."risk_flags__founder_shares"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__founder_shares" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'risk_flags' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."risk_flags__okved_list" AS SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__okved_list" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'risk_flags';
COMMENT ON VIEW current."risk_flags__okved_list" IS 'Latest confirmed: Activities, at most 100.';
COMMENT ON COLUMN current."risk_flags__okved_list"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."risk_flags__okved_list"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."risk_flags__okved_list"."okved_list_no" IS 'Place in okved_list, counted from 1.';
COMMENT ON COLUMN current."risk_flags__okved_list"."code" IS 'Activity code.';
COMMENT ON COLUMN current."risk_flags__okved_list"."name" IS 'Name of the activity; not always given.';
COMMENT ON COLUMN current."risk_flags__okved_list"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."risk_flags__okved_list"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."risk_flags__okved_list"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__okved_list" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'risk_flags' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."risk_flags__efrsb_messages" AS SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__efrsb_messages" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'risk_flags';
COMMENT ON VIEW current."risk_flags__efrsb_messages" IS 'Latest confirmed: Publications of the bankruptcy register, the latest 20.';
COMMENT ON COLUMN current."risk_flags__efrsb_messages"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."risk_flags__efrsb_messages"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."risk_flags__efrsb_messages"."efrsb_messages_no" IS 'Place in efrsb_messages, counted from 1.';
COMMENT ON COLUMN current."risk_flags__efrsb_messages"."type" IS 'Kind of publication.';
COMMENT ON COLUMN current."risk_flags__efrsb_messages"."date" IS 'When it was published. [UTC]';
COMMENT ON COLUMN current."risk_flags__efrsb_messages"."text" IS 'Text of the publication.';
COMMENT ON COLUMN current."risk_flags__efrsb_messages"."number" IS 'Number of the publication.';
COMMENT ON COLUMN current."risk_flags__efrsb_messages"."publisher" IS 'Who published it.';
COMMENT ON COLUMN current."risk_flags__efrsb_messages"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."risk_flags__efrsb_messages"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."risk_flags__efrsb_messages"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__efrsb_messages" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'risk_flags' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."risk_flags__linked_companies" AS SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__linked_companies" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'risk_flags';
COMMENT ON VIEW current."risk_flags__linked_companies" IS 'Latest confirmed: Linked companies; at most 15 persons are followed, and 250 links.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."linked_companies_no" IS 'Place in linked_companies, counted from 1.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."item_inn" IS 'INN of the linked company.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."ogrn" IS 'Registration number of the linked company.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."name" IS 'Name of the linked company.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."status" IS 'Status of the linked company.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."role" IS 'учредитель, руководит or связан, else as the source words it.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."via_name" IS 'Person or company through whom it is linked.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."via_inn" IS 'INN of that person or company.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."historic" IS 'Whether the linked company is liquidated or inactive.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."source" IS 'Register that knows it; always the same.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."risk_flags__linked_companies"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."risk_flags__linked_companies"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__linked_companies" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'risk_flags' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."risk_flags__linked_companies__connections" AS SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__linked_companies__connections" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'risk_flags';
COMMENT ON VIEW current."risk_flags__linked_companies__connections" IS 'Latest confirmed: Facts that link them, one each.';
COMMENT ON COLUMN current."risk_flags__linked_companies__connections"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."risk_flags__linked_companies__connections"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."risk_flags__linked_companies__connections"."linked_companies_no" IS 'Place in linked_companies, counted from 1.';
COMMENT ON COLUMN current."risk_flags__linked_companies__connections"."connections_no" IS 'Place in connections, counted from 1.';
COMMENT ON COLUMN current."risk_flags__linked_companies__connections"."role" IS 'Role of the person in the linked company.';
COMMENT ON COLUMN current."risk_flags__linked_companies__connections"."via_name" IS 'Person or company through whom they are linked.';
COMMENT ON COLUMN current."risk_flags__linked_companies__connections"."via_inn" IS 'INN of that person or company.';
COMMENT ON COLUMN current."risk_flags__linked_companies__connections"."source" IS 'Register that knows it.';
COMMENT ON COLUMN current."risk_flags__linked_companies__connections"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."risk_flags__linked_companies__connections"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."risk_flags__linked_companies__connections"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."risk_flags__linked_companies__connections" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'risk_flags' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."rnp" AS SELECT t.*, l.checked_at, l.collected_at FROM core."rnp" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'rnp';
COMMENT ON VIEW current."rnp" IS 'Latest confirmed: Entries in the register of unfair suppliers: one row per company, with counts.';
COMMENT ON COLUMN current."rnp"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."rnp"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."rnp"."total" IS 'Confirmed entries, at most 30.';
COMMENT ON COLUMN current."rnp"."active" IS 'Entries in force.';
COMMENT ON COLUMN current."rnp"."historic" IS 'Excluded entries.';
COMMENT ON COLUMN current."rnp"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."rnp"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."rnp"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."rnp" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'rnp' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."rnp__records" AS SELECT t.*, l.checked_at, l.collected_at FROM core."rnp__records" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'rnp';
COMMENT ON VIEW current."rnp__records" IS 'Latest confirmed: Entries that were looked at in detail, at most 30.';
COMMENT ON COLUMN current."rnp__records"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."rnp__records"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."rnp__records"."records_no" IS 'Place in records, counted from 1.';
COMMENT ON COLUMN current."rnp__records"."reg_number" IS 'Number of the entry; led by a Cyrillic Р, save under law 44.';
COMMENT ON COLUMN current."rnp__records"."law" IS 'Legal ground.';
COMMENT ON COLUMN current."rnp__records"."supplier_name" IS 'Supplier, cut off with an ellipsis after 300 characters.';
COMMENT ON COLUMN current."rnp__records"."supplier_inn" IS 'INN on the card, which law 223 has none of; the search was by INN in any case.';
COMMENT ON COLUMN current."rnp__records"."inclusion_date" IS 'Day of inclusion.';
COMMENT ON COLUMN current."rnp__records"."exclusion_date" IS 'Day for which exclusion is planned; usually not given.';
COMMENT ON COLUMN current."rnp__records"."status" IS 'In force or excluded; in force where the card does not tell.';
COMMENT ON COLUMN current."rnp__records"."reason" IS 'Reason of the inclusion, cut off after 300 characters.';
COMMENT ON COLUMN current."rnp__records"."fas_authority" IS 'Body that included it, cut off after 300 characters.';
COMMENT ON COLUMN current."rnp__records"."decision_number" IS 'Number of the decision; not always given.';
COMMENT ON COLUMN current."rnp__records"."decision_date" IS 'Day of the decision; not always given.';
COMMENT ON COLUMN current."rnp__records"."detail_url" IS 'Link to the card of the entry.';
COMMENT ON COLUMN current."rnp__records"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."rnp__records"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."rnp__records"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."rnp__records" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'rnp' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."sanctions" AS SELECT t.*, l.checked_at, l.collected_at FROM core."sanctions" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'sanctions';
COMMENT ON VIEW current."sanctions" IS 'Latest confirmed: Matches in sanctions lists: one row per company or person.';
COMMENT ON COLUMN current."sanctions"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."sanctions"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."sanctions"."name" IS 'Name that was looked for, as the company register has it.';
COMMENT ON COLUMN current."sanctions"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."sanctions"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."sanctions"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."sanctions" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'sanctions' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."sanctions__hits" AS SELECT t.*, l.checked_at, l.collected_at FROM core."sanctions__hits" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'sanctions';
COMMENT ON VIEW current."sanctions__hits" IS 'Latest confirmed: Matches; those of low confidence, at most 25, only where nothing matched exactly.';
COMMENT ON COLUMN current."sanctions__hits"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."sanctions__hits"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."sanctions__hits"."hits_no" IS 'Place in hits, counted from 1.';
COMMENT ON COLUMN current."sanctions__hits"."source" IS 'Code of the list.';
COMMENT ON COLUMN current."sanctions__hits"."list_label" IS 'Name of the list.';
COMMENT ON COLUMN current."sanctions__hits"."name" IS 'Name as the list spells it, mostly in Latin letters.';
COMMENT ON COLUMN current."sanctions__hits"."name_ru" IS 'Name in Cyrillic, where the list has it.';
COMMENT ON COLUMN current."sanctions__hits"."item_inn" IS 'INN in the list; rarely given.';
COMMENT ON COLUMN current."sanctions__hits"."dob" IS 'Birth date of a person, as the list spells it: it may be a year or approximate.';
COMMENT ON COLUMN current."sanctions__hits"."program" IS 'Code of the programme, up to 200 characters.';
COMMENT ON COLUMN current."sanctions__hits"."designated_at" IS 'Day of the listing; often not given.';
COMMENT ON COLUMN current."sanctions__hits"."address" IS 'Address in the list, up to 300 characters.';
COMMENT ON COLUMN current."sanctions__hits"."match_confidence" IS 'high: by INN; medium: by the whole name; low: by words, to be checked by eye.';
COMMENT ON COLUMN current."sanctions__hits"."raw_id" IS 'Identifier of the entry in its list.';
COMMENT ON COLUMN current."sanctions__hits"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."sanctions__hits"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."sanctions__hits"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."sanctions__hits" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'sanctions' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."licenses" AS SELECT t.*, l.checked_at, l.collected_at FROM core."licenses" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'licenses';
COMMENT ON VIEW current."licenses" IS 'Latest confirmed: Licences of the company: one row, with their number.';
COMMENT ON COLUMN current."licenses"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."licenses"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."licenses"."total" IS 'Licences of both regulators.';
COMMENT ON COLUMN current."licenses"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."licenses"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."licenses"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."licenses" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'licenses' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."licenses__health" AS SELECT t.*, l.checked_at, l.collected_at FROM core."licenses__health" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'licenses';
COMMENT ON VIEW current."licenses__health" IS 'Latest confirmed: Licences of the health regulator.';
COMMENT ON COLUMN current."licenses__health"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."licenses__health"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."licenses__health"."health_no" IS 'Place in health, counted from 1.';
COMMENT ON COLUMN current."licenses__health"."source" IS 'Register: medicines, narcotics, or upkeep of medical devices.';
COMMENT ON COLUMN current."licenses__health"."license_number" IS 'Number in the register.';
COMMENT ON COLUMN current."licenses__health"."license_date" IS 'Day of issue.';
COMMENT ON COLUMN current."licenses__health"."activity_type" IS 'Licensed activity.';
COMMENT ON COLUMN current."licenses__health"."licensee_name" IS 'Licensee, as the register spells it.';
COMMENT ON COLUMN current."licenses__health"."licensee_inn" IS 'INN of the licensee: the one asked.';
COMMENT ON COLUMN current."licenses__health"."licensee_ogrn" IS 'Registration number of the licensee: 13 digits, 15 for a sole proprietor.';
COMMENT ON COLUMN current."licenses__health"."address" IS 'Address of the licensee with region and postal code.';
COMMENT ON COLUMN current."licenses__health"."order_date" IS 'Date of the order; its format is not documented, so it is kept as it came.';
COMMENT ON COLUMN current."licenses__health"."order_number" IS 'Number of the order.';
COMMENT ON COLUMN current."licenses__health"."work_address" IS 'Where the work is done.';
COMMENT ON COLUMN current."licenses__health"."status" IS 'Status as the register words it.';
COMMENT ON COLUMN current."licenses__health"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."licenses__health"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."licenses__health"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."licenses__health" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'licenses' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."licenses__leaves" AS SELECT t.*, l.checked_at, l.collected_at FROM core."licenses__leaves" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'licenses';
COMMENT ON VIEW current."licenses__leaves" IS 'Latest confirmed: Leaves of what has no documented fields, one row each.';
COMMENT ON COLUMN current."licenses__leaves"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."licenses__leaves"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."licenses__leaves"."path" IS 'Where the leaf stands, as a JSONPath into the block.';
COMMENT ON COLUMN current."licenses__leaves"."value" IS 'The leaf as it came.';
COMMENT ON COLUMN current."licenses__leaves"."type" IS 'Its JSON type: string, number, boolean or null; object or array where it is empty.';
COMMENT ON COLUMN current."licenses__leaves"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."licenses__leaves"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."licenses__leaves"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."licenses__leaves" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'licenses' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."freezes" AS SELECT t.*, l.checked_at, l.collected_at FROM core."freezes" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'freezes';
COMMENT ON VIEW current."freezes" IS 'Latest confirmed: Account suspensions in force: one row per company, with their number.';
COMMENT ON COLUMN current."freezes"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."freezes"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."freezes"."found" IS 'Whether there are suspensions in force.';
COMMENT ON COLUMN current."freezes"."count" IS 'Decisions in this answer, at most 30; not the register''s total.';
COMMENT ON COLUMN current."freezes"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."freezes"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."freezes"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."freezes" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'freezes' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."freezes__items" AS SELECT t.*, l.checked_at, l.collected_at FROM core."freezes__items" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'freezes';
COMMENT ON VIEW current."freezes__items" IS 'Latest confirmed: Decisions in force, at most 30.';
COMMENT ON COLUMN current."freezes__items"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."freezes__items"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."freezes__items"."items_no" IS 'Place in items, counted from 1.';
COMMENT ON COLUMN current."freezes__items"."decision_date" IS 'Day of the decision.';
COMMENT ON COLUMN current."freezes__items"."decision_num" IS 'Number of the decision.';
COMMENT ON COLUMN current."freezes__items"."authority" IS 'Tax authority that decided.';
COMMENT ON COLUMN current."freezes__items"."bank" IS 'Bank whose accounts are suspended.';
COMMENT ON COLUMN current."freezes__items"."bik" IS 'Code of that bank.';
COMMENT ON COLUMN current."freezes__items"."code" IS 'Kind of decision, a code passed on as it is.';
COMMENT ON COLUMN current."freezes__items"."kbk" IS 'Budget classification code; not always given.';
COMMENT ON COLUMN current."freezes__items"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."freezes__items"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."freezes__items"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."freezes__items" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'freezes' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."general_courts" AS SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'general_courts';
COMMENT ON VIEW current."general_courts" IS 'Latest confirmed: Cases in the courts of the company''s region: one row, with how much of the region was walked.';
COMMENT ON COLUMN current."general_courts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."general_courts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."general_courts"."total_cases" IS 'Cases, found now and stored.';
COMMENT ON COLUMN current."general_courts"."cases_found_now" IS 'Cases that this walk found.';
COMMENT ON COLUMN current."general_courts"."cases_from_store" IS 'Cases added from the store.';
COMMENT ON COLUMN current."general_courts"."from_store_only" IS 'The walk failed and all comes from the store.';
COMMENT ON COLUMN current."general_courts"."courts_searched" IS 'Sites of courts that were polled; 0 is no walk.';
COMMENT ON COLUMN current."general_courts"."courts_in_region" IS 'Courts in the region of the company; 0 stands for region not known.';
COMMENT ON COLUMN current."general_courts"."errors" IS 'Courts that failed or could not be passed.';
COMMENT ON COLUMN current."general_courts"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."general_courts"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."general_courts"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'general_courts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."general_courts__cases" AS SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'general_courts';
COMMENT ON VIEW current."general_courts__cases" IS 'Latest confirmed: Cases, found now and stored.';
COMMENT ON COLUMN current."general_courts__cases"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."general_courts__cases"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."general_courts__cases"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases"."case_number" IS 'Number of the case, unique within its court.';
COMMENT ON COLUMN current."general_courts__cases"."date" IS 'Day of arrival; the Moscow portal may not give it.';
COMMENT ON COLUMN current."general_courts__cases"."participants" IS 'All parties in one line with their roles; may hold hundreds of names.';
COMMENT ON COLUMN current."general_courts__cases"."category" IS 'Kind of case.';
COMMENT ON COLUMN current."general_courts__cases"."result_date" IS 'Day of the outcome; none while unfinished.';
COMMENT ON COLUMN current."general_courts__cases"."result" IS 'Outcome as the court words it; none while unpublished.';
COMMENT ON COLUMN current."general_courts__cases"."court" IS 'District courts: prefix of their site; else the full name; stored cases may lack it.';
COMMENT ON COLUMN current."general_courts__cases"."url" IS 'Link to the case card; stored cases may lack it.';
COMMENT ON COLUMN current."general_courts__cases"."case_id" IS 'Number within the court''s site; magistrates and the Moscow portal have none.';
COMMENT ON COLUMN current."general_courts__cases"."role" IS 'Role of the company; none where not recognised.';
COMMENT ON COLUMN current."general_courts__cases"."claim_sum" IS 'Sum claimed, where written with the sign of the rouble; 0 stands for not found. [RUB]';
COMMENT ON COLUMN current."general_courts__cases"."court_type" IS 'Set for magistrates alone.';
COMMENT ON COLUMN current."general_courts__cases"."codex" IS 'Article and part of the administrative code; magistrates alone.';
COMMENT ON COLUMN current."general_courts__cases"."case_uid" IS 'Identifier of the case across courts; enriched cases alone.';
COMMENT ON COLUMN current."general_courts__cases"."category_detailed" IS 'Rubric of the dispute, levels joined by arrows; enriched cases alone.';
COMMENT ON COLUMN current."general_courts__cases"."judge" IS 'Judge; enriched cases alone.';
COMMENT ON COLUMN current."general_courts__cases"."decision_date" IS 'Day of the decision, usually that of the outcome; enriched cases alone.';
COMMENT ON COLUMN current."general_courts__cases"."has_appeal" IS 'The steps show an appeal; given only where they were read.';
COMMENT ON COLUMN current."general_courts__cases"."has_cassation" IS 'The steps show a cassation; given only where they were read.';
COMMENT ON COLUMN current."general_courts__cases"."is_force" IS 'Whether the decision has come into force.';
COMMENT ON COLUMN current."general_courts__cases"."latest_stage" IS 'Latest step or its outcome, up to 120 characters.';
COMMENT ON COLUMN current."general_courts__cases"."_from_store" IS 'Whether the case came from the store, with fields missing.';
COMMENT ON COLUMN current."general_courts__cases"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."general_courts__cases"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."general_courts__cases"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'general_courts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."general_courts__cases__plaintiffs" AS SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__plaintiffs" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'general_courts';
COMMENT ON VIEW current."general_courts__cases__plaintiffs" IS 'Latest confirmed: Plaintiffs.';
COMMENT ON COLUMN current."general_courts__cases__plaintiffs"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."general_courts__cases__plaintiffs"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."general_courts__cases__plaintiffs"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__plaintiffs"."plaintiffs_no" IS 'Place in plaintiffs, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__plaintiffs"."name" IS 'Name of the party, as the court spells it.';
COMMENT ON COLUMN current."general_courts__cases__plaintiffs"."item_inn" IS 'INN; only on enriched cases.';
COMMENT ON COLUMN current."general_courts__cases__plaintiffs"."ogrn" IS 'Registration number; only on enriched cases.';
COMMENT ON COLUMN current."general_courts__cases__plaintiffs"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."general_courts__cases__plaintiffs"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."general_courts__cases__plaintiffs"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__plaintiffs" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'general_courts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."general_courts__cases__respondents" AS SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__respondents" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'general_courts';
COMMENT ON VIEW current."general_courts__cases__respondents" IS 'Latest confirmed: Respondents.';
COMMENT ON COLUMN current."general_courts__cases__respondents"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."general_courts__cases__respondents"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."general_courts__cases__respondents"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__respondents"."respondents_no" IS 'Place in respondents, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__respondents"."name" IS 'Name of the party, as the court spells it.';
COMMENT ON COLUMN current."general_courts__cases__respondents"."item_inn" IS 'INN; only on enriched cases.';
COMMENT ON COLUMN current."general_courts__cases__respondents"."ogrn" IS 'Registration number; only on enriched cases.';
COMMENT ON COLUMN current."general_courts__cases__respondents"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."general_courts__cases__respondents"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."general_courts__cases__respondents"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__respondents" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'general_courts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."general_courts__cases__third_parties" AS SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__third_parties" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'general_courts';
COMMENT ON VIEW current."general_courts__cases__third_parties" IS 'Latest confirmed: Third parties.';
COMMENT ON COLUMN current."general_courts__cases__third_parties"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."general_courts__cases__third_parties"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."general_courts__cases__third_parties"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__third_parties"."third_parties_no" IS 'Place in third_parties, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__third_parties"."name" IS 'Name of the party, as the court spells it.';
COMMENT ON COLUMN current."general_courts__cases__third_parties"."item_inn" IS 'INN; only on enriched cases.';
COMMENT ON COLUMN current."general_courts__cases__third_parties"."ogrn" IS 'Registration number; only on enriched cases.';
COMMENT ON COLUMN current."general_courts__cases__third_parties"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."general_courts__cases__third_parties"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."general_courts__cases__third_parties"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__third_parties" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'general_courts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."general_courts__cases__attracted_parties" AS SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__attracted_parties" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'general_courts';
COMMENT ON VIEW current."general_courts__cases__attracted_parties" IS 'Latest confirmed: Who answers in a magistrate''s administrative case.';
COMMENT ON COLUMN current."general_courts__cases__attracted_parties"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."general_courts__cases__attracted_parties"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."general_courts__cases__attracted_parties"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__attracted_parties"."attracted_parties_no" IS 'Place in attracted_parties, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__attracted_parties"."name" IS 'Name of the person or company.';
COMMENT ON COLUMN current."general_courts__cases__attracted_parties"."codex" IS 'Article and part of the administrative code.';
COMMENT ON COLUMN current."general_courts__cases__attracted_parties"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."general_courts__cases__attracted_parties"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."general_courts__cases__attracted_parties"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__attracted_parties" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'general_courts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."general_courts__cases__other_parties" AS SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__other_parties" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'general_courts';
COMMENT ON VIEW current."general_courts__cases__other_parties" IS 'Latest confirmed: Other parties; practically empty.';
COMMENT ON COLUMN current."general_courts__cases__other_parties"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."general_courts__cases__other_parties"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."general_courts__cases__other_parties"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__other_parties"."other_parties_no" IS 'Place in other_parties, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__other_parties"."name" IS 'Name of the party.';
COMMENT ON COLUMN current."general_courts__cases__other_parties"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."general_courts__cases__other_parties"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."general_courts__cases__other_parties"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__other_parties" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'general_courts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."general_courts__cases__movements" AS SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__movements" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'general_courts';
COMMENT ON VIEW current."general_courts__cases__movements" IS 'Latest confirmed: Steps, at most 20; enriched cases alone.';
COMMENT ON COLUMN current."general_courts__cases__movements"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."general_courts__cases__movements"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."general_courts__cases__movements"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__movements"."movements_no" IS 'Place in movements, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__movements"."date" IS 'Day of the step.';
COMMENT ON COLUMN current."general_courts__cases__movements"."time" IS 'Hour and minute at the court; not always given.';
COMMENT ON COLUMN current."general_courts__cases__movements"."event" IS 'What happened.';
COMMENT ON COLUMN current."general_courts__cases__movements"."place" IS 'Room or place.';
COMMENT ON COLUMN current."general_courts__cases__movements"."result" IS 'What came of it.';
COMMENT ON COLUMN current."general_courts__cases__movements"."basis" IS 'Ground.';
COMMENT ON COLUMN current."general_courts__cases__movements"."note" IS 'Note; usually not given.';
COMMENT ON COLUMN current."general_courts__cases__movements"."published" IS 'When it was published, as it came; usually not given.';
COMMENT ON COLUMN current."general_courts__cases__movements"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."general_courts__cases__movements"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."general_courts__cases__movements"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__movements" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'general_courts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."general_courts__cases__parties_detail" AS SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__parties_detail" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'general_courts';
COMMENT ON VIEW current."general_courts__cases__parties_detail" IS 'Latest confirmed: Parties as the court''s card prints them.';
COMMENT ON COLUMN current."general_courts__cases__parties_detail"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."general_courts__cases__parties_detail"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."general_courts__cases__parties_detail"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__parties_detail"."parties_detail_no" IS 'Place in parties_detail, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__parties_detail"."role" IS 'Role, in the court''s capitals; not always given.';
COMMENT ON COLUMN current."general_courts__cases__parties_detail"."name" IS 'Name of the party, as printed.';
COMMENT ON COLUMN current."general_courts__cases__parties_detail"."item_inn" IS 'INN, where published.';
COMMENT ON COLUMN current."general_courts__cases__parties_detail"."kpp" IS 'Tax registration reason code, where published.';
COMMENT ON COLUMN current."general_courts__cases__parties_detail"."ogrn" IS 'Registration number of a company, where published.';
COMMENT ON COLUMN current."general_courts__cases__parties_detail"."ogrnip" IS 'Registration number of a sole proprietor, where published.';
COMMENT ON COLUMN current."general_courts__cases__parties_detail"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."general_courts__cases__parties_detail"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."general_courts__cases__parties_detail"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__parties_detail" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'general_courts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."general_courts__cases__writs" AS SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__writs" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'general_courts';
COMMENT ON VIEW current."general_courts__cases__writs" IS 'Latest confirmed: Writs of execution.';
COMMENT ON COLUMN current."general_courts__cases__writs"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."general_courts__cases__writs"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."general_courts__cases__writs"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__writs"."writs_no" IS 'Place in writs, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__writs"."date" IS 'Day of issue.';
COMMENT ON COLUMN current."general_courts__cases__writs"."number" IS 'Number on paper.';
COMMENT ON COLUMN current."general_courts__cases__writs"."e_id" IS 'Number of the electronic writ.';
COMMENT ON COLUMN current."general_courts__cases__writs"."status" IS 'Status as the court words it.';
COMMENT ON COLUMN current."general_courts__cases__writs"."recipient" IS 'To whom it was issued.';
COMMENT ON COLUMN current."general_courts__cases__writs"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."general_courts__cases__writs"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."general_courts__cases__writs"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__writs" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'general_courts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."general_courts__cases__acts" AS SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__acts" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'general_courts';
COMMENT ON VIEW current."general_courts__cases__acts" IS 'Latest confirmed: Acts whose text is published.';
COMMENT ON COLUMN current."general_courts__cases__acts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."general_courts__cases__acts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."general_courts__cases__acts"."cases_no" IS 'Place in cases, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__acts"."acts_no" IS 'Place in acts, counted from 1.';
COMMENT ON COLUMN current."general_courts__cases__acts"."n" IS 'Place among the acts of the case.';
COMMENT ON COLUMN current."general_courts__cases__acts"."title" IS 'Title.';
COMMENT ON COLUMN current."general_courts__cases__acts"."text_snippet" IS 'Part of the text.';
COMMENT ON COLUMN current."general_courts__cases__acts"."text_len" IS 'Length of the whole text, in characters.';
COMMENT ON COLUMN current."general_courts__cases__acts"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."general_courts__cases__acts"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."general_courts__cases__acts"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."general_courts__cases__acts" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'general_courts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."timeline" AS SELECT t.*, l.checked_at, l.collected_at FROM core."timeline" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'timeline';
COMMENT ON VIEW current."timeline" IS 'Latest confirmed: Events of the company: one row, which holds nothing but them.';
COMMENT ON COLUMN current."timeline"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."timeline"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."timeline"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."timeline"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."timeline"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."timeline" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'timeline' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."timeline__events" AS SELECT t.*, l.checked_at, l.collected_at FROM core."timeline__events" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'timeline';
COMMENT ON VIEW current."timeline__events" IS 'Latest confirmed: Events without duplicates, the latest first.';
COMMENT ON COLUMN current."timeline__events"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."timeline__events"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."timeline__events"."events_no" IS 'Place in events, counted from 1.';
COMMENT ON COLUMN current."timeline__events"."date" IS 'Day of the event; a change of status often has none.';
COMMENT ON COLUMN current."timeline__events"."type" IS 'Kind of event.';
COMMENT ON COLUMN current."timeline__events"."event" IS 'A set phrase, the register''s wording of the status, or the kind of publication.';
COMMENT ON COLUMN current."timeline__events"."source" IS 'Bankruptcy register; the register of companies goes unnamed.';
COMMENT ON COLUMN current."timeline__events"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."timeline__events"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."timeline__events"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."timeline__events" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'timeline' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."tax_debts" AS SELECT t.*, l.checked_at, l.collected_at FROM core."tax_debts" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'tax_debts';
COMMENT ON VIEW current."tax_debts" IS 'Latest confirmed: Tax debts on the day of the data set: one row per company.';
COMMENT ON COLUMN current."tax_debts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."tax_debts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."tax_debts"."total" IS 'Kinds of tax in debt; 0 is no debtor in this set.';
COMMENT ON COLUMN current."tax_debts"."total_sum" IS 'Debt over all kinds, kopecks included. [RUB]';
COMMENT ON COLUMN current."tax_debts"."snapshot_date" IS 'Day of the data set.';
COMMENT ON COLUMN current."tax_debts"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."tax_debts"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."tax_debts"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."tax_debts" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'tax_debts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."tax_debts__records" AS SELECT t.*, l.checked_at, l.collected_at FROM core."tax_debts__records" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'tax_debts';
COMMENT ON VIEW current."tax_debts__records" IS 'Latest confirmed: Debts, one per kind of tax.';
COMMENT ON COLUMN current."tax_debts__records"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."tax_debts__records"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."tax_debts__records"."records_no" IS 'Place in records, counted from 1.';
COMMENT ON COLUMN current."tax_debts__records"."name" IS 'Name as the data set spells it, in upper case.';
COMMENT ON COLUMN current."tax_debts__records"."debt_type" IS 'Kind of tax, fee, contribution or penalty, from the tax authority''s own list.';
COMMENT ON COLUMN current."tax_debts__records"."sum" IS 'Debt, kopecks included. [RUB]';
COMMENT ON COLUMN current."tax_debts__records"."record_date" IS 'Day of the record; not always given.';
COMMENT ON COLUMN current."tax_debts__records"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."tax_debts__records"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."tax_debts__records"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."tax_debts__records" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'tax_debts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."tax_offences" AS SELECT t.*, l.checked_at, l.collected_at FROM core."tax_offences" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'tax_offences';
COMMENT ON VIEW current."tax_offences" IS 'Latest confirmed: Fines for tax offences on the day of the data set: one row per company.';
COMMENT ON COLUMN current."tax_offences"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."tax_offences"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."tax_offences"."total" IS 'Fines; 0 is none in this set.';
COMMENT ON COLUMN current."tax_offences"."total_sum" IS 'Fines together, kopecks included. [RUB]';
COMMENT ON COLUMN current."tax_offences"."snapshot_date" IS 'Day of the data set.';
COMMENT ON COLUMN current."tax_offences"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."tax_offences"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."tax_offences"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."tax_offences" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'tax_offences' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."tax_offences__records" AS SELECT t.*, l.checked_at, l.collected_at FROM core."tax_offences__records" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'tax_offences';
COMMENT ON VIEW current."tax_offences__records" IS 'Latest confirmed: Fines.';
COMMENT ON COLUMN current."tax_offences__records"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."tax_offences__records"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."tax_offences__records"."records_no" IS 'Place in records, counted from 1.';
COMMENT ON COLUMN current."tax_offences__records"."name" IS 'Name as the data set spells it.';
COMMENT ON COLUMN current."tax_offences__records"."sum" IS 'Fine, kopecks included. [RUB]';
COMMENT ON COLUMN current."tax_offences__records"."decision_date" IS 'Day of the data set, not of the decision; not always given.';
COMMENT ON COLUMN current."tax_offences__records"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."tax_offences__records"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."tax_offences__records"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."tax_offences__records" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'tax_offences' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."employees" AS SELECT t.*, l.checked_at, l.collected_at FROM core."employees" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'employees';
COMMENT ON VIEW current."employees" IS 'Latest confirmed: Average headcount of the latest period: one row per company.';
COMMENT ON COLUMN current."employees"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."employees"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."employees"."name" IS 'Name as the data set spells it.';
COMMENT ON COLUMN current."employees"."headcount" IS 'Average number of employees; 0 is a real zero.';
COMMENT ON COLUMN current."employees"."publish_date" IS 'Reporting date.';
COMMENT ON COLUMN current."employees"."snapshot_date" IS 'Day of the data set.';
COMMENT ON COLUMN current."employees"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."employees"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."employees"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."employees" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'employees' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."revexp" AS SELECT t.*, l.checked_at, l.collected_at FROM core."revexp" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'revexp';
COMMENT ON VIEW current."revexp" IS 'Latest confirmed: Income and expense of the latest period: one row per company.';
COMMENT ON COLUMN current."revexp"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."revexp"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."revexp"."name" IS 'Name as the data set spells it.';
COMMENT ON COLUMN current."revexp"."revenue" IS 'Income of the period, rounded to thousands at the source. [RUB]';
COMMENT ON COLUMN current."revexp"."expense" IS 'Expense of the period, rounded to thousands at the source. [RUB]';
COMMENT ON COLUMN current."revexp"."period" IS 'Last day of the period; a bare year means its 31 December.';
COMMENT ON COLUMN current."revexp"."snapshot_date" IS 'Day of the data set.';
COMMENT ON COLUMN current."revexp"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."revexp"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."revexp"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."revexp" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'revexp' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."msp" AS SELECT t.*, l.checked_at, l.collected_at FROM core."msp" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'msp';
COMMENT ON VIEW current."msp" IS 'Latest confirmed: Entry in the register of small business: one row per company or sole proprietor.';
COMMENT ON COLUMN current."msp"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."msp"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."msp"."ogrn" IS 'Registration number: 13 digits, 15 for a sole proprietor.';
COMMENT ON COLUMN current."msp"."name" IS 'Name of the company, or full name of the person.';
COMMENT ON COLUMN current."msp"."headcount" IS 'Number of employees.';
COMMENT ON COLUMN current."msp"."category" IS 'Category of size.';
COMMENT ON COLUMN current."msp"."is_ip" IS 'Whether it is a sole proprietor.';
COMMENT ON COLUMN current."msp"."as_of" IS 'Day for which the entry holds; the full check spells it year first.';
COMMENT ON COLUMN current."msp"."snapshot_date" IS 'Day of the data set.';
COMMENT ON COLUMN current."msp"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."msp"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."msp"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."msp" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'msp' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."leasing" AS SELECT t.*, l.checked_at, l.collected_at FROM core."leasing" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'leasing';
COMMENT ON VIEW current."leasing" IS 'Latest confirmed: Leasing contracts of the company: one row, with their number.';
COMMENT ON COLUMN current."leasing"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."leasing"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."leasing"."total_contracts" IS 'Leasing contracts.';
COMMENT ON COLUMN current."leasing"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."leasing"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."leasing"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."leasing" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'leasing' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."leasing__contracts" AS SELECT t.*, l.checked_at, l.collected_at FROM core."leasing__contracts" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'leasing';
COMMENT ON VIEW current."leasing__contracts" IS 'Latest confirmed: Leasing contracts.';
COMMENT ON COLUMN current."leasing__contracts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."leasing__contracts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."leasing__contracts"."contracts_no" IS 'Place in contracts, counted from 1.';
COMMENT ON COLUMN current."leasing__contracts"."subject" IS 'What is leased.';
COMMENT ON COLUMN current."leasing__contracts"."lessor" IS 'Who leases it out.';
COMMENT ON COLUMN current."leasing__contracts"."date" IS 'Day of the contract; its format is not documented.';
COMMENT ON COLUMN current."leasing__contracts"."amount" IS 'Amount of the contract. [RUB]';
COMMENT ON COLUMN current."leasing__contracts"."status" IS 'Status as the source words it.';
COMMENT ON COLUMN current."leasing__contracts"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."leasing__contracts"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."leasing__contracts"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."leasing__contracts" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'leasing' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."trademarks" AS SELECT t.*, l.checked_at, l.collected_at FROM core."trademarks" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'trademarks';
COMMENT ON VIEW current."trademarks" IS 'Latest confirmed: Trademarks of the company: one row, with their number.';
COMMENT ON COLUMN current."trademarks"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."trademarks"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."trademarks"."total" IS 'Trademarks.';
COMMENT ON COLUMN current."trademarks"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."trademarks"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."trademarks"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."trademarks" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'trademarks' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."trademarks__trademarks" AS SELECT t.*, l.checked_at, l.collected_at FROM core."trademarks__trademarks" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'trademarks';
COMMENT ON VIEW current."trademarks__trademarks" IS 'Latest confirmed: Trademarks.';
COMMENT ON COLUMN current."trademarks__trademarks"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."trademarks__trademarks"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."trademarks__trademarks"."trademarks_no" IS 'Place in trademarks, counted from 1.';
COMMENT ON COLUMN current."trademarks__trademarks"."name" IS 'Name of the trademark.';
COMMENT ON COLUMN current."trademarks__trademarks"."number" IS 'Number of the registration.';
COMMENT ON COLUMN current."trademarks__trademarks"."date" IS 'Day of the registration; its format is not documented.';
COMMENT ON COLUMN current."trademarks__trademarks"."owner" IS 'Owner: found by name, so it may be a namesake.';
COMMENT ON COLUMN current."trademarks__trademarks"."url" IS 'Link to the trademark''s card.';
COMMENT ON COLUMN current."trademarks__trademarks"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."trademarks__trademarks"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."trademarks__trademarks"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."trademarks__trademarks" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'trademarks' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."founded_companies" AS SELECT t.*, l.checked_at, l.collected_at FROM core."founded_companies" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'founded_companies';
COMMENT ON VIEW current."founded_companies" IS 'Latest confirmed: Companies founded or managed by the company: one row, with their number.';
COMMENT ON COLUMN current."founded_companies"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."founded_companies"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."founded_companies"."count" IS 'Related companies.';
COMMENT ON COLUMN current."founded_companies"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."founded_companies"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."founded_companies"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."founded_companies" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'founded_companies' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."founded_companies__items" AS SELECT t.*, l.checked_at, l.collected_at FROM core."founded_companies__items" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'founded_companies';
COMMENT ON VIEW current."founded_companies__items" IS 'Latest confirmed: Related companies.';
COMMENT ON COLUMN current."founded_companies__items"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."founded_companies__items"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."founded_companies__items"."items_no" IS 'Place in items, counted from 1.';
COMMENT ON COLUMN current."founded_companies__items"."name" IS 'Name of the related company.';
COMMENT ON COLUMN current."founded_companies__items"."item_inn" IS 'INN of the related company.';
COMMENT ON COLUMN current."founded_companies__items"."ogrn" IS 'Registration number of the related company.';
COMMENT ON COLUMN current."founded_companies__items"."role" IS 'Role of the company asked in the related one.';
COMMENT ON COLUMN current."founded_companies__items"."status" IS 'Status of the related company in the register now.';
COMMENT ON COLUMN current."founded_companies__items"."source" IS 'Where the relation is known from.';
COMMENT ON COLUMN current."founded_companies__items"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."founded_companies__items"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."founded_companies__items"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."founded_companies__items" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'founded_companies' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."minjust_check" AS SELECT t.*, l.checked_at, l.collected_at FROM core."minjust_check" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'minjust_check';
COMMENT ON VIEW current."minjust_check" IS 'Latest confirmed: Check against the register of foreign agents: one row per company; any leaf of a hit means that it is listed.';
COMMENT ON COLUMN current."minjust_check"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."minjust_check"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."minjust_check"."name" IS 'Name that was looked for.';
COMMENT ON COLUMN current."minjust_check"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."minjust_check"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."minjust_check"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."minjust_check" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'minjust_check' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."minjust_check__leaves" AS SELECT t.*, l.checked_at, l.collected_at FROM core."minjust_check__leaves" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'minjust_check';
COMMENT ON VIEW current."minjust_check__leaves" IS 'Latest confirmed: Leaves of what has no documented fields, one row each.';
COMMENT ON COLUMN current."minjust_check__leaves"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."minjust_check__leaves"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."minjust_check__leaves"."path" IS 'Where the leaf stands, as a JSONPath into the block.';
COMMENT ON COLUMN current."minjust_check__leaves"."value" IS 'The leaf as it came.';
COMMENT ON COLUMN current."minjust_check__leaves"."type" IS 'Its JSON type: string, number, boolean or null; object or array where it is empty.';
COMMENT ON COLUMN current."minjust_check__leaves"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."minjust_check__leaves"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."minjust_check__leaves"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."minjust_check__leaves" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'minjust_check' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."contacts" AS SELECT t.*, l.checked_at, l.collected_at FROM core."contacts" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'contacts';
COMMENT ON VIEW current."contacts" IS 'Latest confirmed: Contacts of the company: one row; everything is in the table of leaves, since no fields are documented.';
COMMENT ON COLUMN current."contacts"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."contacts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."contacts"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."contacts"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."contacts"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."contacts" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'contacts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW current."contacts__leaves" AS SELECT t.*, l.checked_at, l.collected_at FROM core."contacts__leaves" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = 'contacts';
COMMENT ON VIEW current."contacts__leaves" IS 'Latest confirmed: Leaves of what has no documented fields, one row each.';
COMMENT ON COLUMN current."contacts__leaves"."version_id" IS 'Version that the row belongs to.';
COMMENT ON COLUMN current."contacts__leaves"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN current."contacts__leaves"."path" IS 'Where the leaf stands, as a JSONPath into the block.';
COMMENT ON COLUMN current."contacts__leaves"."value" IS 'The leaf as it came.';
COMMENT ON COLUMN current."contacts__leaves"."type" IS 'Its JSON type: string, number, boolean or null; object or array where it is empty.';
COMMENT ON COLUMN current."contacts__leaves"."checked_at" IS 'When this was last asked and found so, UTC.';
COMMENT ON COLUMN current."contacts__leaves"."collected_at" IS 'When the service had collected that answer, UTC.';
CREATE OR REPLACE MACRO as_of."contacts__leaves"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."contacts__leaves" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = 'contacts' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
CREATE OR REPLACE VIEW mart."risk_rules" AS -- The rules that risk_signals is made of: one row per signal, grouped by block.
-- signal: Name of the signal.
-- title: Signal in words, English.
-- title_ru: Signal in words, Russian.
-- condition: When it is present.
-- severity: info, notice or alert.
-- weight: What it adds to the score when present: 60 alone is critical, 30 high, 10 medium.
-- block: Block whose latest answer decides.
-- source: Fields that it reads, as block.field.
-- companies: Whether it is asked of companies (INN of 10 digits).
-- persons: Whether it is asked of persons and sole proprietors (INN of 12 digits).
-- unseen: Reason of a partial answer that did not look at this; NULL where there is none.
-- partial_shows: Whether a partial answer of the block always shows it; else what was known before may stand in it.
-- number: Place in the table.
SELECT signal, title, title_ru, condition, severity, weight, block, source,
       list_contains(digits, 10) AS companies, list_contains(digits, 12) AS persons, nullif(unseen, '') AS unseen,
       partial_shows, number
FROM (VALUES
(1, 'liquidated', 'Liquidated', 'Ликвидирована', 'alert', 60, 'company', [10, 12], 'The status is liquidated, or a day of termination is entered.', 'company.status, liquidation_date', '', False),
(2, 'liquidating', 'Being liquidated', 'В процессе ликвидации', 'alert', 40, 'company', [10, 12], 'The status is liquidating.', 'company.status', '', False),
(3, 'status_bankruptcy', 'Bankrupt by the card', 'Банкротство по карточке', 'alert', 40, 'company', [10, 12], 'The status is bankruptcy.', 'company.status', '', False),
(4, 'reorganizing', 'Being reorganized', 'В процессе реорганизации', 'notice', 10, 'company', [10], 'The status is reorganizing.', 'company.status', '', False),
(5, 'invalid_data', 'Unreliable data in the register', 'Недостоверные сведения в реестре', 'notice', 20, 'company', [10, 12], 'The card''s flag invalid_data is set: the register holds a record of unreliable data.', 'company.invalid_data', '', False),
(6, 'invalid_address', 'Unreliable address', 'Недостоверный адрес', 'notice', 15, 'company', [10], 'The card''s flag invalid_address is set: a record of unreliable data stands on the address.', 'company.invalid_address', '', False),
(7, 'illegal_finance', 'Flag under the anti-money-laundering law', 'Признак по закону 115-ФЗ', 'notice', 25, 'company', [10, 12], 'The card''s flag illegal_finance is set: the anti-money-laundering law.', 'company.illegal_finance', '', False),
(8, 'sanctions_founders', 'Founder on a sanctions list', 'Учредитель под санкциями', 'alert', 30, 'company', [10], 'The card''s flag sanctions_founders is set: founders stand in sanctions lists.', 'company.sanctions_founders', '', False),
(9, 'card_sanctions', 'On a sanctions list by the card', 'Санкции по карточке', 'alert', 30, 'company', [10, 12], 'The card''s flag sanctions is set: it stands in sanctions lists.', 'company.sanctions', '', False),
(10, 'card_unfair_supplier', 'Unfair supplier by the card', 'Недобросовестный поставщик по карточке', 'notice', 10, 'company', [10, 12], 'The card''s flag unfair_supplier is set: it stands in the register of unfair suppliers.', 'company.unfair_supplier', '', False),
(11, 'card_disqualified', 'Disqualified person by the card', 'Дисквалифицированное лицо по карточке', 'notice', 10, 'company', [10], 'The card''s flag disqualified_persons is set: a manager or founder is disqualified.', 'company.disqualified_persons', '', False),
(12, 'card_mass_director', 'Mass director by the card', 'Массовый руководитель по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_director is set: the manager heads several entities.', 'company.mass_director', '', False),
(13, 'card_mass_founder', 'Mass founder by the card', 'Массовый учредитель по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_founder is set: a founder is a mass founder.', 'company.mass_founder', '', False),
(14, 'card_mass_address', 'Mass address by the card', 'Массовый адрес по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_address is set: the address is one of mass registration.', 'company.mass_address', '', False),
(15, 'young', 'Younger than a year', 'Моложе года', 'notice', 10, 'company', [10, 12], 'Registered less than 365 days ago, counted to today.', 'company.registration_date', '', False),
(16, 'tiny_capital', 'Smallest authorized capital', 'Минимальный уставный капитал', 'info', 2, 'company', [10], 'The authorized capital is 10 000 RUB, the least that the law allows, or less.', 'company.authorized_capital', '', False),
(17, 'bankruptcy_stage', 'In bankruptcy', 'Процедура банкротства', 'alert', 70, 'bankruptcy', [10, 12], 'A stage of bankruptcy is recognised that is not completed.', 'bankruptcy.has_bankruptcy, status', '', False),
(18, 'bankruptcy_completed', 'Bankruptcy completed', 'Банкротство завершено', 'notice', 30, 'bankruptcy', [10, 12], 'The heaviest stage recognised is completed.', 'bankruptcy.status', '', False),
(19, 'bankruptcy_intention', 'Intention to file for bankruptcy', 'Намерение подать на банкротство', 'alert', 40, 'bankruptcy', [10, 12], 'A notice of the intention to go to court is published.', 'bankruptcy.has_intention', '', False),
(20, 'account_freeze', 'Accounts suspended', 'Блокировка счетов', 'alert', 40, 'freezes', [10], 'There is a decision in force to suspend accounts.', 'freezes.found, items', '', True),
(21, 'sanctions_hit', 'On a sanctions list', 'В санкционных списках', 'alert', 70, 'sanctions', [10], 'A list has it by INN or by its whole name, or does not say how sure it is.', 'sanctions.hits', '', False),
(22, 'sanctions_namesake', 'Perhaps on a sanctions list', 'Возможное совпадение в санкционных списках', 'notice', 10, 'sanctions', [10], 'Lists have it by single words of the name alone (confidence low): to be checked by eye.', 'sanctions.hits.match_confidence', '', False),
(23, 'foreign_agent', 'Foreign agent', 'Иностранный агент', 'alert', 30, 'minjust_check', [10], 'The register of foreign agents has a match.', 'minjust_check.hits', '', False),
(24, 'rnp_active', 'Unfair supplier', 'Недобросовестный поставщик', 'alert', 40, 'rnp', [10], 'An entry in the register of unfair suppliers is in force.', 'rnp.active, records.status', '', False),
(25, 'rnp_past', 'Unfair supplier in the past', 'Был недобросовестным поставщиком', 'info', 5, 'rnp', [10], 'There are excluded entries in the register of unfair suppliers.', 'rnp.historic', '', False),
(26, 'disqualified_persons', 'Disqualified person in charge', 'Дисквалифицированное лицо в руководстве', 'alert', 40, 'risk_flags', [10], 'A manager or founder of today is disqualified.', 'risk_flags.disqualified_persons, disqualified_records', 'mass_check_unavailable', False),
(27, 'mass_director', 'Mass director', 'Массовый руководитель', 'notice', 10, 'risk_flags', [10], 'The manager heads five entities or more.', 'risk_flags.mass_director', 'mass_check_unavailable', False),
(28, 'mass_founder', 'Mass founder', 'Массовый учредитель', 'notice', 5, 'risk_flags', [10], 'A founder takes part in five entities or more.', 'risk_flags.mass_founder', 'mass_check_unavailable', False),
(29, 'mass_address', 'Mass address', 'Адрес массовой регистрации', 'notice', 10, 'risk_flags', [10], 'The address is a mass one.', 'risk_flags.mass_address', 'mass_check_unavailable', False),
(30, 'linked_closed', 'Linked companies closed', 'Связанные компании ликвидированы', 'notice', 5, 'risk_flags', [10], 'Three linked companies or more are liquidated or inactive, and these are half of all or more.', 'risk_flags.linked_companies.historic', '', False),
(31, 'inspection_violations', 'Inspections with violations', 'Проверки с нарушениями', 'notice', 5, 'inspections', [10], 'An inspection found violations.', 'inspections.with_violations, inspections.has_violations', '', False),
(32, 'pledges', 'Assets pledged', 'Имущество в залоге', 'info', 3, 'pledges', [10], 'There are notices of pledge, those of leasing left out.', 'pledges.pledges.source', '', False),
(33, 'leasing', 'Leased assets', 'Имущество в лизинге', 'info', 1, 'leasing', [10], 'There are leasing contracts: what is used is not owned.', 'leasing.total_contracts', '', False),
(34, 'enforcement_no_assets', 'Enforcement ended for want of assets', 'Взыскание окончено: нет имущества', 'alert', 25, 'fssp', [10, 12], 'A proceeding ended because neither debtor nor assets were found.', 'fssp.completed_no_assets, proceedings.completion_reason', '', False),
(35, 'enforcement_active', 'Active enforcement', 'Действующие исполнительные производства', 'notice', 10, 'fssp', [10, 12], 'A proceeding goes on.', 'fssp.active_proceedings, proceedings.is_active', '', False),
(36, 'enforcement_large', 'Large debt under enforcement', 'Крупный долг у приставов', 'alert', 20, 'fssp', [10, 12], 'Active proceedings are for 1 000 000 RUB or more; not known where less is told and some have no amount.', 'fssp.active_debt_rub, proceedings.sum', '', False),
(37, 'tax_debt', 'Tax debt', 'Налоговая задолженность', 'notice', 10, 'tax_debts', [10], 'The tax authority''s data set has a debt.', 'tax_debts.total_sum', '', False),
(38, 'tax_debt_large', 'Large tax debt', 'Крупная налоговая задолженность', 'alert', 20, 'tax_debts', [10], 'The debt is 500 000 RUB or more.', 'tax_debts.total_sum', '', False),
(39, 'tax_fines', 'Fines for tax offences', 'Штрафы за налоговые правонарушения', 'info', 5, 'tax_offences', [10], 'The tax authority''s data set has a fine.', 'tax_offences.total_sum', '', False),
(40, 'arbitration_respondent', 'Respondent in arbitration', 'Ответчик в арбитраже', 'info', 3, 'arbitration', [10, 12], 'It is the respondent of an arbitration case.', 'arbitration.as_respondent', '', False),
(41, 'arbitration_often_respondent', 'Often respondent in arbitration', 'Часто ответчик в арбитраже', 'notice', 10, 'arbitration', [10, 12], 'It is the respondent of five cases or more, and of half of all or more.', 'arbitration.as_respondent, total_cases', '', False),
(42, 'arbitration_claims', 'Large claims in arbitration', 'Крупные иски в арбитраже', 'notice', 15, 'arbitration', [10, 12], 'Cases of the last three years against it, without an outcome so far, claim 1 000 000 RUB or more together; not known where less is told and some claims are not.', 'arbitration.cases.claim_sum, result, date', '', False),
(43, 'arbitration_lost', 'Lost cases in arbitration', 'Проигранные дела в арбитраже', 'info', 5, 'arbitration', [10, 12], 'It lost a case as respondent.', 'arbitration.lost', '', False),
(44, 'arbitration_bankruptcy', 'Bankruptcy case in arbitration', 'Дело о банкротстве в арбитраже', 'alert', 30, 'arbitration', [10, 12], 'It is the respondent (debtor) of a bankruptcy case without an outcome so far.', 'arbitration.cases.type, role, result', '', False),
(45, 'court_respondent', 'Respondent in a general court', 'Ответчик в суде общей юрисдикции', 'info', 3, 'general_courts', [10], 'It is the respondent or debtor of a case; not known where a role is not recognised.', 'general_courts.cases.role', '', False),
(46, 'court_accused', 'Accused in a general court', 'Подсудимый в суде общей юрисдикции', 'notice', 15, 'general_courts', [10], 'It stands accused in a criminal case; not known where a role is not recognised.', 'general_courts.cases.role', '', False),
(47, 'court_administrative', 'Administrative case in a general court', 'Административное дело в суде', 'info', 3, 'general_courts', [10], 'It is called to account in an administrative case; not known where a role is not recognised.', 'general_courts.cases.role', '', False),
(48, 'loss', 'Loss in the last year', 'Убыток за последний год', 'notice', 10, 'financial', [10], 'The net profit of the latest year is negative.', 'financial.indicators: net_profit', '', False),
(49, 'loss_repeated', 'Losses two years running', 'Убытки два года подряд', 'notice', 5, 'financial', [10], 'The net profit of the latest year and of the year before is negative.', 'financial.indicators: net_profit', '', False),
(50, 'negative_equity', 'Negative equity', 'Отрицательный собственный капитал', 'alert', 20, 'financial', [10], 'The equity at the end of the latest year is negative: liabilities exceed assets.', 'financial.indicators: equity', '', False),
(51, 'revenue_fall', 'Revenue fell by 30 %', 'Выручка упала на 30 %', 'notice', 10, 'financial', [10], 'The revenue of the latest year is 70 % of that of the year before, or less.', 'financial.indicators: revenue', '', False),
(52, 'no_revenue', 'No revenue in the last year', 'Нет выручки за последний год', 'notice', 10, 'financial', [10], 'The revenue of the latest year is 0.', 'financial.indicators: revenue', '', False),
(53, 'illiquid', 'Current assets below short-term debts', 'Оборотных активов меньше краткосрочных долгов', 'info', 5, 'financial', [10], 'At the end of the latest year current assets are less than short-term liabilities.', 'financial.indicators: current_assets, short_term_liabilities', '', False),
(54, 'expense_over_income', 'Expense above income', 'Расходы больше доходов', 'info', 3, 'revexp', [10], 'By the tax authority''s data set the expense of the period exceeds its income.', 'revexp.revenue, expense', '', False),
(55, 'no_employees', 'At most one employee', 'Не больше одного работника', 'info', 3, 'employees', [10], 'The average headcount of the tax authority''s data set is 0 or 1.', 'employees.headcount', '', False)
) r (number, signal, title, title_ru, severity, weight, block, digits, condition, source, unseen, partial_shows)
;
CREATE OR REPLACE VIEW mart."risk_signals" AS -- What is known of each signal: one row per INN and signal that can be asked of its kind of INN.
-- inn: INN of a portfolio's member, or that was ever asked.
-- signal: Signal of mart.risk_rules.
-- title: Signal in words, English.
-- title_ru: Signal in words, Russian.
-- severity: info, notice or alert.
-- weight: What it adds to the score when present.
-- state: present, absent, 'not confirmed' or 'never asked'.
-- confirmed: Whether the latest answer of its block supports the state; false for what only an earlier answer says, and for what a partial answer may have left as it was.
-- since: When it began by the facts, else when it was first seen without a break since, UTC; NULL unless present.
-- evidence: What shows it, in short words; NULL unless present.
-- block: Block that decides.
-- reason: Why it is not confirmed; NULL where it is.
-- checked_at: When what is known of the block was last asked and found so, UTC; NULL where nothing is known.
-- age_days: Days since then, up to now; NULL where nothing is known.
-- version_id: Version that shows it present or absent.
-- snapshot_id: Answer that says so; the latest answer where it is not confirmed; NULL without one.
WITH knowledge AS (
    SELECT s.inn, b.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage._latest
          UNION SELECT inn FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id))) s
    JOIN (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)) b (block, digits) ON b.digits = length(s.inn)
    LEFT JOIN (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.checked_at, l.collected_at FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l ON l.inn = s.inn AND l.block = b.block
),
partly AS (
    SELECT s.inn, s.block, arg_max(s.version_id, (s.asked_at, s.snapshot_id)) AS earlier_version_id
    FROM lineage.snapshots s JOIN knowledge k ON k.inn = s.inn AND k.block = s.block
    WHERE k.state = 'partial' AND s.version_id IS NOT NULL AND s.snapshot_id <> k.last_snapshot_id
    GROUP BY s.inn, s.block
),
judging AS MATERIALIZED (
    SELECT coalesce(k.inn, v.inn) AS inn, b.block, b.block_no, k.state, k.reason, k.last_snapshot_id,
           coalesce(k.version_id, v.version_id) AS version_id, k.snapshot_id, k.checked_at, v.first_seen_at,
           v.last_seen_at AS ended_at, k.inn IS NOT NULL AS latest, k.state = 'partial' AS partial,
           CASE WHEN k.inn IS NULL THEN v.version_id END AS old_version_id
    FROM knowledge k FULL JOIN lineage.versions v ON v.version_id = k.version_id
    JOIN (VALUES ('company', 1), ('fssp', 2), ('arbitration', 3), ('bankruptcy', 4), ('financial', 6), ('pledges', 7), ('inspections', 8), ('risk_flags', 9), ('rnp', 10), ('sanctions', 11), ('freezes', 13), ('general_courts', 14), ('tax_debts', 16), ('tax_offences', 17), ('employees', 18), ('revexp', 19), ('leasing', 21), ('minjust_check', 24)) b (block, block_no) ON b.block = coalesce(k.block, v.block)
),
found AS MATERIALIZED (SELECT k.*,
       unnest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.liquidation_date IS NOT NULL THEN true ELSE t.status = 'liquidated' END) END, CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'liquidating') END, CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'bankruptcy') END, CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'reorganizing') END, CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_data) END, CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_address) END, CASE WHEN t.version_id IS NOT NULL THEN (t.illegal_finance) END, CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions_founders) END, CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions) END, CASE WHEN t.version_id IS NOT NULL THEN (t.unfair_supplier) END, CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END, CASE WHEN t.version_id IS NOT NULL THEN (t.registration_date > (now() AT TIME ZONE 'UTC')::DATE - 365) END, CASE WHEN t.version_id IS NOT NULL THEN (t.authorized_capital <= 10000) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.liquidation_date IS NOT NULL THEN true ELSE t.status = 'liquidated' END) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'liquidating') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'bankruptcy') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'reorganizing') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_data) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_address) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.illegal_finance) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions_founders) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.unfair_supplier) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.registration_date > (now() AT TIME ZONE 'UTC')::DATE - 365) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.authorized_capital <= 10000) END THEN [{'began': (t.liquidation_date)::TIMESTAMP, 'evidence': (concat_ws('; ', t.status_description, t.termination_reason))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (t.status_description)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (t.status_description)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (t.status_description)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (t.registration_date)::TIMESTAMP, 'evidence': ('registered ' || t.registration_date)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.authorized_capital)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."company" t ON t.version_id = k.version_id
WHERE k.block_no = 1
UNION ALL
SELECT k.*,
       unnest([34, 35, 36]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.completed_no_assets > 0 OR coalesce(a.no_assets, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.active_proceedings > 0 OR coalesce(a.active, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.active_debt_rub >= 1000000 THEN true WHEN coalesce(a.active_unpriced, 0) > 0 THEN NULL WHEN t.active_debt_rub IS NOT NULL THEN false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.completed_no_assets > 0 OR coalesce(a.no_assets, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.active_proceedings > 0 OR coalesce(a.active, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.active_debt_rub >= 1000000 THEN true WHEN coalesce(a.active_unpriced, 0) > 0 THEN NULL WHEN t.active_debt_rub IS NOT NULL THEN false END) END THEN [{'began': (a.no_assets_since)::TIMESTAMP, 'evidence': ('proceedings: ' || greatest(t.completed_no_assets, a.no_assets))::VARCHAR}, {'began': (a.active_since)::TIMESTAMP, 'evidence': ('proceedings: ' || greatest(t.active_proceedings, a.active) || ', ' || replace(format('{:,.2f}', (t.active_debt_rub)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (a.active_since)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.active_debt_rub)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."fssp" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (completion_reason = 'no_assets') AS no_assets,
       min(process_date) FILTER (completion_reason = 'no_assets') AS no_assets_since,
       count(*) FILTER (is_active) AS active, min(process_date) FILTER (is_active) AS active_since,
       count(*) FILTER (is_active AND sum IS NULL) AS active_unpriced
FROM core.fssp__proceedings GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 2
UNION ALL
SELECT k.*,
       unnest([40, 41, 42, 43, 44]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent >= 5 AND 2 * t.as_respondent >= t.total_cases) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.claims, 0) >= 1000000 THEN true WHEN coalesce(a.unpriced, 0) > 0 THEN NULL ELSE false END) END, CASE WHEN t.version_id IS NOT NULL THEN (t.lost > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.bankruptcy, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent >= 5 AND 2 * t.as_respondent >= t.total_cases) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.claims, 0) >= 1000000 THEN true WHEN coalesce(a.unpriced, 0) > 0 THEN NULL ELSE false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.lost > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.bankruptcy, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('cases: ' || t.as_respondent || ' of ' || t.total_cases)::VARCHAR}, {'began': (a.since)::TIMESTAMP, 'evidence': ('cases: ' || t.as_respondent || ' of ' || t.total_cases)::VARCHAR}, {'began': (a.claims_since)::TIMESTAMP, 'evidence': ('cases: ' || a.claimed || ', ' || replace(format('{:,.2f}', (a.claims)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('cases lost: ' || t.lost)::VARCHAR}, {'began': (a.bankruptcy_since)::TIMESTAMP, 'evidence': ('case ' || a.bankruptcy_case)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."arbitration" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, min(date) FILTER (against) AS since, sum(claim_sum) FILTER (lately) AS claims,
       count(*) FILTER (lately) AS claimed, count(*) FILTER (lately AND claim_sum IS NULL) AS unpriced,
       min(date) FILTER (lately) AS claims_since,
       count(*) FILTER (insolvent) AS bankruptcy, min(date) FILTER (insolvent) AS bankruptcy_since,
       max_by(case_number, coalesce(date, DATE '1900-01-01')) FILTER (insolvent) AS bankruptcy_case
FROM (SELECT *, role = 'respondent' AS against,
             role = 'respondent' AND result IS NULL AND type = 'Банкротство' AS insolvent,
             role = 'respondent' AND result IS NULL AND type IS DISTINCT FROM 'Банкротство'
             AND coalesce(date > (now() AT TIME ZONE 'UTC')::DATE - INTERVAL 3 YEAR, true) AS lately
      FROM core.arbitration__cases) GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 3
UNION ALL
SELECT k.*,
       unnest([17, 18, 19]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') <> 'completed') END, CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') = 'completed') END, CASE WHEN t.version_id IS NOT NULL THEN (t.has_intention) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') <> 'completed') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') = 'completed') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.has_intention) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': (concat_ws(', ', t.status, 'case ' || a.case_number))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('case ' || a.case_number)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."bankruptcy" t ON t.version_id = k.version_id
LEFT JOIN (SELECT version_id, max(case_number) AS case_number FROM core.bankruptcy__cases GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 4
UNION ALL
SELECT k.*,
       unnest([48, 49, 50, 51, 52, 53]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0) END, CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0 AND a.profit_before < 0) END, CASE WHEN t.version_id IS NOT NULL THEN (a.equity < 0) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN a.revenue_before > 0 THEN a.revenue <= 0.7 * a.revenue_before WHEN a.revenue_before = 0 THEN false END) END, CASE WHEN t.version_id IS NOT NULL THEN (a.revenue = 0) END, CASE WHEN t.version_id IS NOT NULL THEN (a.current_assets < a.short_term_liabilities) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0 AND a.profit_before < 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.equity < 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN a.revenue_before > 0 THEN a.revenue <= 0.7 * a.revenue_before WHEN a.revenue_before = 0 THEN false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.revenue = 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.current_assets < a.short_term_liabilities) END THEN [{'began': (make_date(a.year, 1, 1))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.profit)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year - 1, 1, 1))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.profit)::DOUBLE), ',', ' ') || ' RUB' || ', before: ' || replace(format('{:,.2f}', (a.profit_before)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year, 12, 31))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.equity)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year, 1, 1))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.revenue)::DOUBLE), ',', ' ') || ' RUB' || ', before: ' || replace(format('{:,.2f}', (a.revenue_before)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year, 1, 1))::TIMESTAMP, 'evidence': (a.year::VARCHAR)::VARCHAR}, {'began': (make_date(a.year, 12, 31))::TIMESTAMP, 'evidence': (a.year::VARCHAR)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."financial" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT l.version_id, l.year,
       max(i.amount) FILTER (i.indicator = 'net_profit' AND i.year = l.year) AS profit,
       max(i.amount) FILTER (i.indicator = 'net_profit' AND i.year < l.year) AS profit_before,
       max(i.amount) FILTER (i.indicator = 'equity' AND i.year = l.year) AS equity,
       max(i.amount) FILTER (i.indicator = 'revenue' AND i.year = l.year) AS revenue,
       max(i.amount) FILTER (i.indicator = 'revenue' AND i.year < l.year) AS revenue_before,
       max(i.amount) FILTER (i.indicator = 'current_assets' AND i.year = l.year) AS current_assets,
       max(i.amount) FILTER (i.indicator = 'short_term_liabilities' AND i.year = l.year) AS short_term_liabilities
FROM (SELECT version_id, max(year) AS year FROM core.financial__indicators GROUP BY version_id) l
JOIN core.financial__indicators i ON i.version_id = l.version_id AND i.year >= l.year - 1
WHERE i.indicator IN ('net_profit', 'equity', 'revenue', 'current_assets', 'short_term_liabilities')
GROUP BY l.version_id, l.year) a ON a.version_id = k.version_id
WHERE k.block_no = 6
UNION ALL
SELECT k.*,
       unnest([32]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.pledged, 0) > 0 THEN true WHEN t.total_pledges > coalesce(a.leased, 0) THEN NULL WHEN t.total_pledges IS NOT NULL THEN false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.pledged, 0) > 0 THEN true WHEN t.total_pledges > coalesce(a.leased, 0) THEN NULL WHEN t.total_pledges IS NOT NULL THEN false END) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('notices: ' || a.pledged)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."pledges" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (source IS DISTINCT FROM 'fedresurs') AS pledged,
       count(*) FILTER (source = 'fedresurs') AS leased,
       min(reg_date) FILTER (source IS DISTINCT FROM 'fedresurs') AS since
FROM core.pledges__pledges GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 7
UNION ALL
SELECT k.*,
       unnest([31]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.with_violations > 0 OR coalesce(a.violations, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.with_violations > 0 OR coalesce(a.violations, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('with violations: ' || greatest(t.with_violations, a.violations) || ' of ' || t.total)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."inspections" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) AS violations, max(start_date) AS since
FROM core.inspections__inspections WHERE has_violations GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 8
UNION ALL
SELECT k.*,
       unnest([26, 27, 28, 29, 30]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.closed, 0) >= 3 AND 2 * a.closed >= a.linked THEN true WHEN coalesce(a.closed, 0) + coalesce(a.untold, 0) >= 3 AND a.untold > 0 THEN NULL ELSE false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.closed, 0) >= 3 AND 2 * a.closed >= a.linked THEN true WHEN coalesce(a.closed, 0) + coalesce(a.untold, 0) >= 3 AND a.untold > 0 THEN NULL ELSE false END) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (concat_ws(', ', a.name, 'until ' || a.until))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('linked companies: ' || a.linked || ', closed: ' || a.closed)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."risk_flags" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT v.version_id, d.since, d.until, d.name, l.linked, l.closed, l.untold
FROM (SELECT version_id FROM core.risk_flags) v
LEFT JOIN (SELECT version_id, min(start_date) AS since, max(end_date) AS until,
                  min_by(coalesce(matched_name, queried_name), disqualified_records_no) AS name
           FROM core.risk_flags__disqualified_records GROUP BY version_id) d USING (version_id)
LEFT JOIN (SELECT version_id, count(*) AS linked, count(*) FILTER (historic) AS closed,
                  count(*) FILTER (historic IS NULL) AS untold
           FROM core.risk_flags__linked_companies GROUP BY version_id) l USING (version_id)) a ON a.version_id = k.version_id
WHERE k.block_no = 9
UNION ALL
SELECT k.*,
       unnest([24, 25]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.active > 0 OR coalesce(a.active, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.historic > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.active > 0 OR coalesce(a.active, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.historic > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('No. ' || a.number || coalesce(', ' || a.reason, ''))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('excluded entries: ' || t.historic)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."rnp" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) AS active, min(inclusion_date) AS since, min_by(reg_number, records_no) AS number,
       min_by(reason, records_no) AS reason
FROM core.rnp__records WHERE status IS DISTINCT FROM 'Исключено' GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 10
UNION ALL
SELECT k.*,
       unnest([21, 22]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) = 0 AND coalesce(a.unsure, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) = 0 AND coalesce(a.unsure, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (concat_ws(': ', a.list, a.name))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('matches of low confidence: ' || a.unsure)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."sanctions" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (sure) AS sure, count(*) FILTER (NOT sure) AS unsure,
       min(designated_at) FILTER (sure) AS since,
       min_by(coalesce(list_label, source), hits_no) FILTER (sure) AS list,
       min_by(coalesce(name, name_ru), hits_no) FILTER (sure) AS name
FROM (SELECT *, coalesce(match_confidence, '') <> 'low' AS sure FROM core.sanctions__hits) GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 11
UNION ALL
SELECT k.*,
       unnest([20]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.found OR coalesce(a.items, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.found OR coalesce(a.items, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (concat_ws(', ', 'decisions: ' || coalesce(a.items, t.count), 'No. ' || a.number || ' of ' || a.latest, a.bank))::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."freezes" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) AS items, min(decision_date) AS since, max(decision_date) AS latest,
       max_by(decision_num, coalesce(decision_date, DATE '1900-01-01')) AS number,
       max_by(bank, coalesce(decision_date, DATE '1900-01-01')) AS bank
FROM core.freezes__items GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 13
UNION ALL
SELECT k.*,
       unnest([45, 46, 47]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.respondent, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.accused, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.called, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.respondent, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.accused, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.called, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END THEN [{'began': (a.respondent_since)::TIMESTAMP, 'evidence': ('cases: ' || a.respondent)::VARCHAR}, {'began': (a.accused_since)::TIMESTAMP, 'evidence': ('cases: ' || a.accused)::VARCHAR}, {'began': (a.called_since)::TIMESTAMP, 'evidence': ('cases: ' || a.called)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."general_courts" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (role IN ('ответчик', 'должник')) AS respondent,
       min(date) FILTER (role IN ('ответчик', 'должник')) AS respondent_since,
       count(*) FILTER (role = 'подсудимый') AS accused, min(date) FILTER (role = 'подсудимый') AS accused_since,
       count(*) FILTER (role = 'привлекаемое лицо') AS called,
       min(date) FILTER (role = 'привлекаемое лицо') AS called_since,
       count(*) FILTER (role IS NULL) AS unknown_role
FROM core.general_courts__cases GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 14
UNION ALL
SELECT k.*,
       unnest([37, 38]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum >= 500000) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum >= 500000) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.total_sum)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (a.since)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.total_sum)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."tax_debts" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, min(record_date) AS since FROM core.tax_debts__records GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 16
UNION ALL
SELECT k.*,
       unnest([39]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.total_sum)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."tax_offences" t ON t.version_id = k.version_id
WHERE k.block_no = 17
UNION ALL
SELECT k.*,
       unnest([55]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.headcount <= 1) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.headcount <= 1) END THEN [{'began': (t.publish_date)::TIMESTAMP, 'evidence': ('headcount ' || t.headcount)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."employees" t ON t.version_id = k.version_id
WHERE k.block_no = 18
UNION ALL
SELECT k.*,
       unnest([54]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.expense > t.revenue) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.expense > t.revenue) END THEN [{'began': (t.period)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.revenue)::DOUBLE), ',', ' ') || ' RUB' || ' against ' || replace(format('{:,.2f}', (t.expense)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."revexp" t ON t.version_id = k.version_id
WHERE k.block_no = 19
UNION ALL
SELECT k.*,
       unnest([33]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.total_contracts > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.total_contracts > 0) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': ('contracts: ' || t.total_contracts)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."leasing" t ON t.version_id = k.version_id
WHERE k.block_no = 21
UNION ALL
SELECT k.*,
       unnest([23]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.hits, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.hits, 0) > 0) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': ('matches: ' || a.hits)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."minjust_check" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(DISTINCT regexp_extract(path, '^\$\.hits\[\d+\]')) AS hits
FROM core.minjust_check__leaves WHERE path LIKE '$.hits[%' GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 24),
past AS (
    SELECT inn, number, old_version_id AS version_id, present, first_seen_at, ended_at
    FROM found WHERE NOT latest
),
gone AS (SELECT inn, number, max(ended_at) AS gone_at FROM past WHERE NOT coalesce(present, false) GROUP BY ALL),
ran AS (
    SELECT p.inn, p.number, min(p.first_seen_at) AS first_seen_at
    FROM past p LEFT JOIN gone g ON g.inn = p.inn AND g.number = p.number
    WHERE p.present AND (g.gone_at IS NULL OR p.first_seen_at > g.gone_at) GROUP BY p.inn, p.number
),
dated AS (
    SELECT f.* EXCLUDE (shown), f.shown.evidence AS evidence,
           coalesce(f.shown.began,
                    least(CASE WHEN g.gone_at IS NULL OR f.first_seen_at > g.gone_at THEN f.first_seen_at END,
                          n.first_seen_at), g.gone_at) AS since,
           f.partial AND w.earlier_version_id IS NOT NULL
           AND (w.earlier_version_id = f.version_id OR coalesce(e.present, false)) AS carried
    FROM found f
    LEFT JOIN gone g ON g.inn = f.inn AND g.number = f.number
    LEFT JOIN ran n ON n.inn = f.inn AND n.number = f.number
    LEFT JOIN partly w ON w.inn = f.inn AND w.block = f.block
    LEFT JOIN past e ON e.inn = f.inn AND e.number = f.number AND e.version_id = w.earlier_version_id
    WHERE f.latest AND f.present AND (f.shown.began IS NULL OR f.partial)
    UNION ALL BY NAME
    SELECT * EXCLUDE (shown), shown.evidence AS evidence, shown.began AS since, false AS carried
    FROM found WHERE latest AND NOT (coalesce(present, false) AND (shown.began IS NULL OR partial))
),
stated AS (
    SELECT d.* EXCLUDE (block, number), r.* EXCLUDE (number),
           CASE WHEN d.present THEN 'present'
                WHEN d.state = 'never asked' THEN 'never asked'
                WHEN NOT d.present AND d.state IN ('found', 'clean') THEN 'absent'
                ELSE 'not confirmed' END AS word,
           d.state IN ('found', 'clean')
           OR (d.state = 'partial' AND (r.partial_shows OR NOT d.carried)
               AND NOT coalesce(contains(d.reason, nullif(r.unseen, '')), false)) AS heard
    FROM dated d
    JOIN (VALUES
(1, 'liquidated', 'Liquidated', 'Ликвидирована', 'alert', 60, 'company', [10, 12], 'The status is liquidated, or a day of termination is entered.', 'company.status, liquidation_date', '', False),
(2, 'liquidating', 'Being liquidated', 'В процессе ликвидации', 'alert', 40, 'company', [10, 12], 'The status is liquidating.', 'company.status', '', False),
(3, 'status_bankruptcy', 'Bankrupt by the card', 'Банкротство по карточке', 'alert', 40, 'company', [10, 12], 'The status is bankruptcy.', 'company.status', '', False),
(4, 'reorganizing', 'Being reorganized', 'В процессе реорганизации', 'notice', 10, 'company', [10], 'The status is reorganizing.', 'company.status', '', False),
(5, 'invalid_data', 'Unreliable data in the register', 'Недостоверные сведения в реестре', 'notice', 20, 'company', [10, 12], 'The card''s flag invalid_data is set: the register holds a record of unreliable data.', 'company.invalid_data', '', False),
(6, 'invalid_address', 'Unreliable address', 'Недостоверный адрес', 'notice', 15, 'company', [10], 'The card''s flag invalid_address is set: a record of unreliable data stands on the address.', 'company.invalid_address', '', False),
(7, 'illegal_finance', 'Flag under the anti-money-laundering law', 'Признак по закону 115-ФЗ', 'notice', 25, 'company', [10, 12], 'The card''s flag illegal_finance is set: the anti-money-laundering law.', 'company.illegal_finance', '', False),
(8, 'sanctions_founders', 'Founder on a sanctions list', 'Учредитель под санкциями', 'alert', 30, 'company', [10], 'The card''s flag sanctions_founders is set: founders stand in sanctions lists.', 'company.sanctions_founders', '', False),
(9, 'card_sanctions', 'On a sanctions list by the card', 'Санкции по карточке', 'alert', 30, 'company', [10, 12], 'The card''s flag sanctions is set: it stands in sanctions lists.', 'company.sanctions', '', False),
(10, 'card_unfair_supplier', 'Unfair supplier by the card', 'Недобросовестный поставщик по карточке', 'notice', 10, 'company', [10, 12], 'The card''s flag unfair_supplier is set: it stands in the register of unfair suppliers.', 'company.unfair_supplier', '', False),
(11, 'card_disqualified', 'Disqualified person by the card', 'Дисквалифицированное лицо по карточке', 'notice', 10, 'company', [10], 'The card''s flag disqualified_persons is set: a manager or founder is disqualified.', 'company.disqualified_persons', '', False),
(12, 'card_mass_director', 'Mass director by the card', 'Массовый руководитель по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_director is set: the manager heads several entities.', 'company.mass_director', '', False),
(13, 'card_mass_founder', 'Mass founder by the card', 'Массовый учредитель по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_founder is set: a founder is a mass founder.', 'company.mass_founder', '', False),
(14, 'card_mass_address', 'Mass address by the card', 'Массовый адрес по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_address is set: the address is one of mass registration.', 'company.mass_address', '', False),
(15, 'young', 'Younger than a year', 'Моложе года', 'notice', 10, 'company', [10, 12], 'Registered less than 365 days ago, counted to today.', 'company.registration_date', '', False),
(16, 'tiny_capital', 'Smallest authorized capital', 'Минимальный уставный капитал', 'info', 2, 'company', [10], 'The authorized capital is 10 000 RUB, the least that the law allows, or less.', 'company.authorized_capital', '', False),
(17, 'bankruptcy_stage', 'In bankruptcy', 'Процедура банкротства', 'alert', 70, 'bankruptcy', [10, 12], 'A stage of bankruptcy is recognised that is not completed.', 'bankruptcy.has_bankruptcy, status', '', False),
(18, 'bankruptcy_completed', 'Bankruptcy completed', 'Банкротство завершено', 'notice', 30, 'bankruptcy', [10, 12], 'The heaviest stage recognised is completed.', 'bankruptcy.status', '', False),
(19, 'bankruptcy_intention', 'Intention to file for bankruptcy', 'Намерение подать на банкротство', 'alert', 40, 'bankruptcy', [10, 12], 'A notice of the intention to go to court is published.', 'bankruptcy.has_intention', '', False),
(20, 'account_freeze', 'Accounts suspended', 'Блокировка счетов', 'alert', 40, 'freezes', [10], 'There is a decision in force to suspend accounts.', 'freezes.found, items', '', True),
(21, 'sanctions_hit', 'On a sanctions list', 'В санкционных списках', 'alert', 70, 'sanctions', [10], 'A list has it by INN or by its whole name, or does not say how sure it is.', 'sanctions.hits', '', False),
(22, 'sanctions_namesake', 'Perhaps on a sanctions list', 'Возможное совпадение в санкционных списках', 'notice', 10, 'sanctions', [10], 'Lists have it by single words of the name alone (confidence low): to be checked by eye.', 'sanctions.hits.match_confidence', '', False),
(23, 'foreign_agent', 'Foreign agent', 'Иностранный агент', 'alert', 30, 'minjust_check', [10], 'The register of foreign agents has a match.', 'minjust_check.hits', '', False),
(24, 'rnp_active', 'Unfair supplier', 'Недобросовестный поставщик', 'alert', 40, 'rnp', [10], 'An entry in the register of unfair suppliers is in force.', 'rnp.active, records.status', '', False),
(25, 'rnp_past', 'Unfair supplier in the past', 'Был недобросовестным поставщиком', 'info', 5, 'rnp', [10], 'There are excluded entries in the register of unfair suppliers.', 'rnp.historic', '', False),
(26, 'disqualified_persons', 'Disqualified person in charge', 'Дисквалифицированное лицо в руководстве', 'alert', 40, 'risk_flags', [10], 'A manager or founder of today is disqualified.', 'risk_flags.disqualified_persons, disqualified_records', 'mass_check_unavailable', False),
(27, 'mass_director', 'Mass director', 'Массовый руководитель', 'notice', 10, 'risk_flags', [10], 'The manager heads five entities or more.', 'risk_flags.mass_director', 'mass_check_unavailable', False),
(28, 'mass_founder', 'Mass founder', 'Массовый учредитель', 'notice', 5, 'risk_flags', [10], 'A founder takes part in five entities or more.', 'risk_flags.mass_founder', 'mass_check_unavailable', False),
(29, 'mass_address', 'Mass address', 'Адрес массовой регистрации', 'notice', 10, 'risk_flags', [10], 'The address is a mass one.', 'risk_flags.mass_address', 'mass_check_unavailable', False),
(30, 'linked_closed', 'Linked companies closed', 'Связанные компании ликвидированы', 'notice', 5, 'risk_flags', [10], 'Three linked companies or more are liquidated or inactive, and these are half of all or more.', 'risk_flags.linked_companies.historic', '', False),
(31, 'inspection_violations', 'Inspections with violations', 'Проверки с нарушениями', 'notice', 5, 'inspections', [10], 'An inspection found violations.', 'inspections.with_violations, inspections.has_violations', '', False),
(32, 'pledges', 'Assets pledged', 'Имущество в залоге', 'info', 3, 'pledges', [10], 'There are notices of pledge, those of leasing left out.', 'pledges.pledges.source', '', False),
(33, 'leasing', 'Leased assets', 'Имущество в лизинге', 'info', 1, 'leasing', [10], 'There are leasing contracts: what is used is not owned.', 'leasing.total_contracts', '', False),
(34, 'enforcement_no_assets', 'Enforcement ended for want of assets', 'Взыскание окончено: нет имущества', 'alert', 25, 'fssp', [10, 12], 'A proceeding ended because neither debtor nor assets were found.', 'fssp.completed_no_assets, proceedings.completion_reason', '', False),
(35, 'enforcement_active', 'Active enforcement', 'Действующие исполнительные производства', 'notice', 10, 'fssp', [10, 12], 'A proceeding goes on.', 'fssp.active_proceedings, proceedings.is_active', '', False),
(36, 'enforcement_large', 'Large debt under enforcement', 'Крупный долг у приставов', 'alert', 20, 'fssp', [10, 12], 'Active proceedings are for 1 000 000 RUB or more; not known where less is told and some have no amount.', 'fssp.active_debt_rub, proceedings.sum', '', False),
(37, 'tax_debt', 'Tax debt', 'Налоговая задолженность', 'notice', 10, 'tax_debts', [10], 'The tax authority''s data set has a debt.', 'tax_debts.total_sum', '', False),
(38, 'tax_debt_large', 'Large tax debt', 'Крупная налоговая задолженность', 'alert', 20, 'tax_debts', [10], 'The debt is 500 000 RUB or more.', 'tax_debts.total_sum', '', False),
(39, 'tax_fines', 'Fines for tax offences', 'Штрафы за налоговые правонарушения', 'info', 5, 'tax_offences', [10], 'The tax authority''s data set has a fine.', 'tax_offences.total_sum', '', False),
(40, 'arbitration_respondent', 'Respondent in arbitration', 'Ответчик в арбитраже', 'info', 3, 'arbitration', [10, 12], 'It is the respondent of an arbitration case.', 'arbitration.as_respondent', '', False),
(41, 'arbitration_often_respondent', 'Often respondent in arbitration', 'Часто ответчик в арбитраже', 'notice', 10, 'arbitration', [10, 12], 'It is the respondent of five cases or more, and of half of all or more.', 'arbitration.as_respondent, total_cases', '', False),
(42, 'arbitration_claims', 'Large claims in arbitration', 'Крупные иски в арбитраже', 'notice', 15, 'arbitration', [10, 12], 'Cases of the last three years against it, without an outcome so far, claim 1 000 000 RUB or more together; not known where less is told and some claims are not.', 'arbitration.cases.claim_sum, result, date', '', False),
(43, 'arbitration_lost', 'Lost cases in arbitration', 'Проигранные дела в арбитраже', 'info', 5, 'arbitration', [10, 12], 'It lost a case as respondent.', 'arbitration.lost', '', False),
(44, 'arbitration_bankruptcy', 'Bankruptcy case in arbitration', 'Дело о банкротстве в арбитраже', 'alert', 30, 'arbitration', [10, 12], 'It is the respondent (debtor) of a bankruptcy case without an outcome so far.', 'arbitration.cases.type, role, result', '', False),
(45, 'court_respondent', 'Respondent in a general court', 'Ответчик в суде общей юрисдикции', 'info', 3, 'general_courts', [10], 'It is the respondent or debtor of a case; not known where a role is not recognised.', 'general_courts.cases.role', '', False),
(46, 'court_accused', 'Accused in a general court', 'Подсудимый в суде общей юрисдикции', 'notice', 15, 'general_courts', [10], 'It stands accused in a criminal case; not known where a role is not recognised.', 'general_courts.cases.role', '', False),
(47, 'court_administrative', 'Administrative case in a general court', 'Административное дело в суде', 'info', 3, 'general_courts', [10], 'It is called to account in an administrative case; not known where a role is not recognised.', 'general_courts.cases.role', '', False),
(48, 'loss', 'Loss in the last year', 'Убыток за последний год', 'notice', 10, 'financial', [10], 'The net profit of the latest year is negative.', 'financial.indicators: net_profit', '', False),
(49, 'loss_repeated', 'Losses two years running', 'Убытки два года подряд', 'notice', 5, 'financial', [10], 'The net profit of the latest year and of the year before is negative.', 'financial.indicators: net_profit', '', False),
(50, 'negative_equity', 'Negative equity', 'Отрицательный собственный капитал', 'alert', 20, 'financial', [10], 'The equity at the end of the latest year is negative: liabilities exceed assets.', 'financial.indicators: equity', '', False),
(51, 'revenue_fall', 'Revenue fell by 30 %', 'Выручка упала на 30 %', 'notice', 10, 'financial', [10], 'The revenue of the latest year is 70 % of that of the year before, or less.', 'financial.indicators: revenue', '', False),
(52, 'no_revenue', 'No revenue in the last year', 'Нет выручки за последний год', 'notice', 10, 'financial', [10], 'The revenue of the latest year is 0.', 'financial.indicators: revenue', '', False),
(53, 'illiquid', 'Current assets below short-term debts', 'Оборотных активов меньше краткосрочных долгов', 'info', 5, 'financial', [10], 'At the end of the latest year current assets are less than short-term liabilities.', 'financial.indicators: current_assets, short_term_liabilities', '', False),
(54, 'expense_over_income', 'Expense above income', 'Расходы больше доходов', 'info', 3, 'revexp', [10], 'By the tax authority''s data set the expense of the period exceeds its income.', 'revexp.revenue, expense', '', False),
(55, 'no_employees', 'At most one employee', 'Не больше одного работника', 'info', 3, 'employees', [10], 'The average headcount of the tax authority''s data set is 0 or 1.', 'employees.headcount', '', False)
) r (number, signal, title, title_ru, severity, weight, block, digits, condition, source, unseen, partial_shows) ON r.number = d.number
    WHERE list_contains(r.digits, CASE WHEN length(d.inn) = 10 THEN 10 ELSE 12 END)
),
signals AS (
    SELECT inn, signal, title, title_ru, severity, weight, word AS state,
           word = 'absent' OR (word = 'present' AND heard) AS confirmed,
           CASE WHEN present THEN since END AS since, CASE WHEN present THEN evidence END AS evidence, block,
           CASE WHEN word = 'never asked' OR word = 'absent' OR (word = 'present' AND heard) THEN NULL
                WHEN state IN ('found', 'clean') THEN 'the answer does not tell'
                ELSE concat_ws(': ', state, reason) END AS reason,
           checked_at,
           CASE WHEN word IN ('present', 'absent') THEN version_id END AS version_id,
           CASE WHEN word IN ('present', 'absent') THEN snapshot_id ELSE last_snapshot_id END AS snapshot_id
    FROM stated
)
SELECT inn, signal, title, title_ru, severity, weight, state, confirmed, since, evidence, block, reason, checked_at,
       date_diff('second', checked_at, (now() AT TIME ZONE 'UTC')) / 86400.0 AS age_days, version_id, snapshot_id
FROM signals
;
CREATE OR REPLACE VIEW mart."risk_score" AS -- How risky a counterparty is by the documented weights, and how much of that is known: one row per INN.
-- inn: INN of a portfolio's member, or that was ever asked.
-- score: Weights of the signals that are present, together.
-- score_confirmed: Of those, the ones that the latest answers support.
-- score_unknown: Weights of the signals that are not confirmed or were never asked, together.
-- score_most: The score if all of those were present.
-- confirmed_share: Weight of the signals that are confirmed, present or absent, over the weight of all; 0 to 1.
-- level: critical from a score of 60, high from 30, medium from 10, low below; unknown instead of low where less than half of the weight is confirmed.
-- present: Signals present.
-- absent: Signals confirmed absent.
-- not_confirmed: Signals asked without an answer that tells.
-- never_asked: Signals whose block was never asked.
-- reasons: Titles of the signals present, the heaviest first.
-- reasons_ru: The same in Russian.
-- unknown_signals: Signals not confirmed or never asked, the heaviest first.
-- checked_at: When the oldest of what is known was last confirmed, UTC; NULL where nothing is known.
WITH knowledge AS (
    SELECT s.inn, b.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage._latest
          UNION SELECT inn FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id))) s
    JOIN (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)) b (block, digits) ON b.digits = length(s.inn)
    LEFT JOIN (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.checked_at, l.collected_at FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l ON l.inn = s.inn AND l.block = b.block
),
partly AS (
    SELECT s.inn, s.block, arg_max(s.version_id, (s.asked_at, s.snapshot_id)) AS earlier_version_id
    FROM lineage.snapshots s JOIN knowledge k ON k.inn = s.inn AND k.block = s.block
    WHERE k.state = 'partial' AND s.version_id IS NOT NULL AND s.snapshot_id <> k.last_snapshot_id
    GROUP BY s.inn, s.block
),
judging AS MATERIALIZED (
    SELECT coalesce(k.inn, v.inn) AS inn, b.block, b.block_no, k.state, k.reason, k.last_snapshot_id,
           coalesce(k.version_id, v.version_id) AS version_id, k.snapshot_id, k.checked_at, v.first_seen_at,
           v.last_seen_at AS ended_at, k.inn IS NOT NULL AS latest, k.state = 'partial' AS partial,
           CASE WHEN k.inn IS NULL THEN v.version_id END AS old_version_id
    FROM knowledge k FULL JOIN lineage.versions v ON v.version_id = k.version_id
    JOIN (VALUES ('company', 1), ('fssp', 2), ('arbitration', 3), ('bankruptcy', 4), ('financial', 6), ('pledges', 7), ('inspections', 8), ('risk_flags', 9), ('rnp', 10), ('sanctions', 11), ('freezes', 13), ('general_courts', 14), ('tax_debts', 16), ('tax_offences', 17), ('employees', 18), ('revexp', 19), ('leasing', 21), ('minjust_check', 24)) b (block, block_no) ON b.block = coalesce(k.block, v.block)
),
found AS MATERIALIZED (SELECT k.*,
       unnest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.liquidation_date IS NOT NULL THEN true ELSE t.status = 'liquidated' END) END, CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'liquidating') END, CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'bankruptcy') END, CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'reorganizing') END, CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_data) END, CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_address) END, CASE WHEN t.version_id IS NOT NULL THEN (t.illegal_finance) END, CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions_founders) END, CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions) END, CASE WHEN t.version_id IS NOT NULL THEN (t.unfair_supplier) END, CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END, CASE WHEN t.version_id IS NOT NULL THEN (t.registration_date > (now() AT TIME ZONE 'UTC')::DATE - 365) END, CASE WHEN t.version_id IS NOT NULL THEN (t.authorized_capital <= 10000) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.liquidation_date IS NOT NULL THEN true ELSE t.status = 'liquidated' END) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'liquidating') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'bankruptcy') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'reorganizing') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_data) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_address) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.illegal_finance) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions_founders) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.unfair_supplier) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.registration_date > (now() AT TIME ZONE 'UTC')::DATE - 365) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.authorized_capital <= 10000) END THEN [{'began': (t.liquidation_date)::TIMESTAMP, 'evidence': (concat_ws('; ', t.status_description, t.termination_reason))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (t.status_description)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (t.status_description)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (t.status_description)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (t.registration_date)::TIMESTAMP, 'evidence': ('registered ' || t.registration_date)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.authorized_capital)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."company" t ON t.version_id = k.version_id
WHERE k.block_no = 1
UNION ALL
SELECT k.*,
       unnest([34, 35, 36]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.completed_no_assets > 0 OR coalesce(a.no_assets, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.active_proceedings > 0 OR coalesce(a.active, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.active_debt_rub >= 1000000 THEN true WHEN coalesce(a.active_unpriced, 0) > 0 THEN NULL WHEN t.active_debt_rub IS NOT NULL THEN false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.completed_no_assets > 0 OR coalesce(a.no_assets, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.active_proceedings > 0 OR coalesce(a.active, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.active_debt_rub >= 1000000 THEN true WHEN coalesce(a.active_unpriced, 0) > 0 THEN NULL WHEN t.active_debt_rub IS NOT NULL THEN false END) END THEN [{'began': (a.no_assets_since)::TIMESTAMP, 'evidence': ('proceedings: ' || greatest(t.completed_no_assets, a.no_assets))::VARCHAR}, {'began': (a.active_since)::TIMESTAMP, 'evidence': ('proceedings: ' || greatest(t.active_proceedings, a.active) || ', ' || replace(format('{:,.2f}', (t.active_debt_rub)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (a.active_since)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.active_debt_rub)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."fssp" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (completion_reason = 'no_assets') AS no_assets,
       min(process_date) FILTER (completion_reason = 'no_assets') AS no_assets_since,
       count(*) FILTER (is_active) AS active, min(process_date) FILTER (is_active) AS active_since,
       count(*) FILTER (is_active AND sum IS NULL) AS active_unpriced
FROM core.fssp__proceedings GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 2
UNION ALL
SELECT k.*,
       unnest([40, 41, 42, 43, 44]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent >= 5 AND 2 * t.as_respondent >= t.total_cases) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.claims, 0) >= 1000000 THEN true WHEN coalesce(a.unpriced, 0) > 0 THEN NULL ELSE false END) END, CASE WHEN t.version_id IS NOT NULL THEN (t.lost > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.bankruptcy, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent >= 5 AND 2 * t.as_respondent >= t.total_cases) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.claims, 0) >= 1000000 THEN true WHEN coalesce(a.unpriced, 0) > 0 THEN NULL ELSE false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.lost > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.bankruptcy, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('cases: ' || t.as_respondent || ' of ' || t.total_cases)::VARCHAR}, {'began': (a.since)::TIMESTAMP, 'evidence': ('cases: ' || t.as_respondent || ' of ' || t.total_cases)::VARCHAR}, {'began': (a.claims_since)::TIMESTAMP, 'evidence': ('cases: ' || a.claimed || ', ' || replace(format('{:,.2f}', (a.claims)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('cases lost: ' || t.lost)::VARCHAR}, {'began': (a.bankruptcy_since)::TIMESTAMP, 'evidence': ('case ' || a.bankruptcy_case)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."arbitration" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, min(date) FILTER (against) AS since, sum(claim_sum) FILTER (lately) AS claims,
       count(*) FILTER (lately) AS claimed, count(*) FILTER (lately AND claim_sum IS NULL) AS unpriced,
       min(date) FILTER (lately) AS claims_since,
       count(*) FILTER (insolvent) AS bankruptcy, min(date) FILTER (insolvent) AS bankruptcy_since,
       max_by(case_number, coalesce(date, DATE '1900-01-01')) FILTER (insolvent) AS bankruptcy_case
FROM (SELECT *, role = 'respondent' AS against,
             role = 'respondent' AND result IS NULL AND type = 'Банкротство' AS insolvent,
             role = 'respondent' AND result IS NULL AND type IS DISTINCT FROM 'Банкротство'
             AND coalesce(date > (now() AT TIME ZONE 'UTC')::DATE - INTERVAL 3 YEAR, true) AS lately
      FROM core.arbitration__cases) GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 3
UNION ALL
SELECT k.*,
       unnest([17, 18, 19]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') <> 'completed') END, CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') = 'completed') END, CASE WHEN t.version_id IS NOT NULL THEN (t.has_intention) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') <> 'completed') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') = 'completed') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.has_intention) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': (concat_ws(', ', t.status, 'case ' || a.case_number))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('case ' || a.case_number)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."bankruptcy" t ON t.version_id = k.version_id
LEFT JOIN (SELECT version_id, max(case_number) AS case_number FROM core.bankruptcy__cases GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 4
UNION ALL
SELECT k.*,
       unnest([48, 49, 50, 51, 52, 53]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0) END, CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0 AND a.profit_before < 0) END, CASE WHEN t.version_id IS NOT NULL THEN (a.equity < 0) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN a.revenue_before > 0 THEN a.revenue <= 0.7 * a.revenue_before WHEN a.revenue_before = 0 THEN false END) END, CASE WHEN t.version_id IS NOT NULL THEN (a.revenue = 0) END, CASE WHEN t.version_id IS NOT NULL THEN (a.current_assets < a.short_term_liabilities) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0 AND a.profit_before < 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.equity < 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN a.revenue_before > 0 THEN a.revenue <= 0.7 * a.revenue_before WHEN a.revenue_before = 0 THEN false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.revenue = 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.current_assets < a.short_term_liabilities) END THEN [{'began': (make_date(a.year, 1, 1))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.profit)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year - 1, 1, 1))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.profit)::DOUBLE), ',', ' ') || ' RUB' || ', before: ' || replace(format('{:,.2f}', (a.profit_before)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year, 12, 31))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.equity)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year, 1, 1))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.revenue)::DOUBLE), ',', ' ') || ' RUB' || ', before: ' || replace(format('{:,.2f}', (a.revenue_before)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year, 1, 1))::TIMESTAMP, 'evidence': (a.year::VARCHAR)::VARCHAR}, {'began': (make_date(a.year, 12, 31))::TIMESTAMP, 'evidence': (a.year::VARCHAR)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."financial" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT l.version_id, l.year,
       max(i.amount) FILTER (i.indicator = 'net_profit' AND i.year = l.year) AS profit,
       max(i.amount) FILTER (i.indicator = 'net_profit' AND i.year < l.year) AS profit_before,
       max(i.amount) FILTER (i.indicator = 'equity' AND i.year = l.year) AS equity,
       max(i.amount) FILTER (i.indicator = 'revenue' AND i.year = l.year) AS revenue,
       max(i.amount) FILTER (i.indicator = 'revenue' AND i.year < l.year) AS revenue_before,
       max(i.amount) FILTER (i.indicator = 'current_assets' AND i.year = l.year) AS current_assets,
       max(i.amount) FILTER (i.indicator = 'short_term_liabilities' AND i.year = l.year) AS short_term_liabilities
FROM (SELECT version_id, max(year) AS year FROM core.financial__indicators GROUP BY version_id) l
JOIN core.financial__indicators i ON i.version_id = l.version_id AND i.year >= l.year - 1
WHERE i.indicator IN ('net_profit', 'equity', 'revenue', 'current_assets', 'short_term_liabilities')
GROUP BY l.version_id, l.year) a ON a.version_id = k.version_id
WHERE k.block_no = 6
UNION ALL
SELECT k.*,
       unnest([32]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.pledged, 0) > 0 THEN true WHEN t.total_pledges > coalesce(a.leased, 0) THEN NULL WHEN t.total_pledges IS NOT NULL THEN false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.pledged, 0) > 0 THEN true WHEN t.total_pledges > coalesce(a.leased, 0) THEN NULL WHEN t.total_pledges IS NOT NULL THEN false END) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('notices: ' || a.pledged)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."pledges" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (source IS DISTINCT FROM 'fedresurs') AS pledged,
       count(*) FILTER (source = 'fedresurs') AS leased,
       min(reg_date) FILTER (source IS DISTINCT FROM 'fedresurs') AS since
FROM core.pledges__pledges GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 7
UNION ALL
SELECT k.*,
       unnest([31]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.with_violations > 0 OR coalesce(a.violations, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.with_violations > 0 OR coalesce(a.violations, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('with violations: ' || greatest(t.with_violations, a.violations) || ' of ' || t.total)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."inspections" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) AS violations, max(start_date) AS since
FROM core.inspections__inspections WHERE has_violations GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 8
UNION ALL
SELECT k.*,
       unnest([26, 27, 28, 29, 30]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.closed, 0) >= 3 AND 2 * a.closed >= a.linked THEN true WHEN coalesce(a.closed, 0) + coalesce(a.untold, 0) >= 3 AND a.untold > 0 THEN NULL ELSE false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.closed, 0) >= 3 AND 2 * a.closed >= a.linked THEN true WHEN coalesce(a.closed, 0) + coalesce(a.untold, 0) >= 3 AND a.untold > 0 THEN NULL ELSE false END) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (concat_ws(', ', a.name, 'until ' || a.until))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('linked companies: ' || a.linked || ', closed: ' || a.closed)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."risk_flags" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT v.version_id, d.since, d.until, d.name, l.linked, l.closed, l.untold
FROM (SELECT version_id FROM core.risk_flags) v
LEFT JOIN (SELECT version_id, min(start_date) AS since, max(end_date) AS until,
                  min_by(coalesce(matched_name, queried_name), disqualified_records_no) AS name
           FROM core.risk_flags__disqualified_records GROUP BY version_id) d USING (version_id)
LEFT JOIN (SELECT version_id, count(*) AS linked, count(*) FILTER (historic) AS closed,
                  count(*) FILTER (historic IS NULL) AS untold
           FROM core.risk_flags__linked_companies GROUP BY version_id) l USING (version_id)) a ON a.version_id = k.version_id
WHERE k.block_no = 9
UNION ALL
SELECT k.*,
       unnest([24, 25]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.active > 0 OR coalesce(a.active, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.historic > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.active > 0 OR coalesce(a.active, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.historic > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('No. ' || a.number || coalesce(', ' || a.reason, ''))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('excluded entries: ' || t.historic)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."rnp" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) AS active, min(inclusion_date) AS since, min_by(reg_number, records_no) AS number,
       min_by(reason, records_no) AS reason
FROM core.rnp__records WHERE status IS DISTINCT FROM 'Исключено' GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 10
UNION ALL
SELECT k.*,
       unnest([21, 22]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) = 0 AND coalesce(a.unsure, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) = 0 AND coalesce(a.unsure, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (concat_ws(': ', a.list, a.name))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('matches of low confidence: ' || a.unsure)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."sanctions" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (sure) AS sure, count(*) FILTER (NOT sure) AS unsure,
       min(designated_at) FILTER (sure) AS since,
       min_by(coalesce(list_label, source), hits_no) FILTER (sure) AS list,
       min_by(coalesce(name, name_ru), hits_no) FILTER (sure) AS name
FROM (SELECT *, coalesce(match_confidence, '') <> 'low' AS sure FROM core.sanctions__hits) GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 11
UNION ALL
SELECT k.*,
       unnest([20]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.found OR coalesce(a.items, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.found OR coalesce(a.items, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (concat_ws(', ', 'decisions: ' || coalesce(a.items, t.count), 'No. ' || a.number || ' of ' || a.latest, a.bank))::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."freezes" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) AS items, min(decision_date) AS since, max(decision_date) AS latest,
       max_by(decision_num, coalesce(decision_date, DATE '1900-01-01')) AS number,
       max_by(bank, coalesce(decision_date, DATE '1900-01-01')) AS bank
FROM core.freezes__items GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 13
UNION ALL
SELECT k.*,
       unnest([45, 46, 47]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.respondent, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.accused, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.called, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.respondent, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.accused, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.called, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END THEN [{'began': (a.respondent_since)::TIMESTAMP, 'evidence': ('cases: ' || a.respondent)::VARCHAR}, {'began': (a.accused_since)::TIMESTAMP, 'evidence': ('cases: ' || a.accused)::VARCHAR}, {'began': (a.called_since)::TIMESTAMP, 'evidence': ('cases: ' || a.called)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."general_courts" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (role IN ('ответчик', 'должник')) AS respondent,
       min(date) FILTER (role IN ('ответчик', 'должник')) AS respondent_since,
       count(*) FILTER (role = 'подсудимый') AS accused, min(date) FILTER (role = 'подсудимый') AS accused_since,
       count(*) FILTER (role = 'привлекаемое лицо') AS called,
       min(date) FILTER (role = 'привлекаемое лицо') AS called_since,
       count(*) FILTER (role IS NULL) AS unknown_role
FROM core.general_courts__cases GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 14
UNION ALL
SELECT k.*,
       unnest([37, 38]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum >= 500000) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum >= 500000) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.total_sum)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (a.since)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.total_sum)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."tax_debts" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, min(record_date) AS since FROM core.tax_debts__records GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 16
UNION ALL
SELECT k.*,
       unnest([39]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.total_sum)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."tax_offences" t ON t.version_id = k.version_id
WHERE k.block_no = 17
UNION ALL
SELECT k.*,
       unnest([55]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.headcount <= 1) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.headcount <= 1) END THEN [{'began': (t.publish_date)::TIMESTAMP, 'evidence': ('headcount ' || t.headcount)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."employees" t ON t.version_id = k.version_id
WHERE k.block_no = 18
UNION ALL
SELECT k.*,
       unnest([54]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.expense > t.revenue) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.expense > t.revenue) END THEN [{'began': (t.period)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.revenue)::DOUBLE), ',', ' ') || ' RUB' || ' against ' || replace(format('{:,.2f}', (t.expense)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."revexp" t ON t.version_id = k.version_id
WHERE k.block_no = 19
UNION ALL
SELECT k.*,
       unnest([33]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.total_contracts > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.total_contracts > 0) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': ('contracts: ' || t.total_contracts)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."leasing" t ON t.version_id = k.version_id
WHERE k.block_no = 21
UNION ALL
SELECT k.*,
       unnest([23]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.hits, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.hits, 0) > 0) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': ('matches: ' || a.hits)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."minjust_check" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(DISTINCT regexp_extract(path, '^\$\.hits\[\d+\]')) AS hits
FROM core.minjust_check__leaves WHERE path LIKE '$.hits[%' GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 24),
past AS (
    SELECT inn, number, old_version_id AS version_id, present, first_seen_at, ended_at
    FROM found WHERE NOT latest
),
gone AS (SELECT inn, number, max(ended_at) AS gone_at FROM past WHERE NOT coalesce(present, false) GROUP BY ALL),
ran AS (
    SELECT p.inn, p.number, min(p.first_seen_at) AS first_seen_at
    FROM past p LEFT JOIN gone g ON g.inn = p.inn AND g.number = p.number
    WHERE p.present AND (g.gone_at IS NULL OR p.first_seen_at > g.gone_at) GROUP BY p.inn, p.number
),
dated AS (
    SELECT f.* EXCLUDE (shown), f.shown.evidence AS evidence,
           coalesce(f.shown.began,
                    least(CASE WHEN g.gone_at IS NULL OR f.first_seen_at > g.gone_at THEN f.first_seen_at END,
                          n.first_seen_at), g.gone_at) AS since,
           f.partial AND w.earlier_version_id IS NOT NULL
           AND (w.earlier_version_id = f.version_id OR coalesce(e.present, false)) AS carried
    FROM found f
    LEFT JOIN gone g ON g.inn = f.inn AND g.number = f.number
    LEFT JOIN ran n ON n.inn = f.inn AND n.number = f.number
    LEFT JOIN partly w ON w.inn = f.inn AND w.block = f.block
    LEFT JOIN past e ON e.inn = f.inn AND e.number = f.number AND e.version_id = w.earlier_version_id
    WHERE f.latest AND f.present AND (f.shown.began IS NULL OR f.partial)
    UNION ALL BY NAME
    SELECT * EXCLUDE (shown), shown.evidence AS evidence, shown.began AS since, false AS carried
    FROM found WHERE latest AND NOT (coalesce(present, false) AND (shown.began IS NULL OR partial))
),
stated AS (
    SELECT d.* EXCLUDE (block, number), r.* EXCLUDE (number),
           CASE WHEN d.present THEN 'present'
                WHEN d.state = 'never asked' THEN 'never asked'
                WHEN NOT d.present AND d.state IN ('found', 'clean') THEN 'absent'
                ELSE 'not confirmed' END AS word,
           d.state IN ('found', 'clean')
           OR (d.state = 'partial' AND (r.partial_shows OR NOT d.carried)
               AND NOT coalesce(contains(d.reason, nullif(r.unseen, '')), false)) AS heard
    FROM dated d
    JOIN (VALUES
(1, 'liquidated', 'Liquidated', 'Ликвидирована', 'alert', 60, 'company', [10, 12], 'The status is liquidated, or a day of termination is entered.', 'company.status, liquidation_date', '', False),
(2, 'liquidating', 'Being liquidated', 'В процессе ликвидации', 'alert', 40, 'company', [10, 12], 'The status is liquidating.', 'company.status', '', False),
(3, 'status_bankruptcy', 'Bankrupt by the card', 'Банкротство по карточке', 'alert', 40, 'company', [10, 12], 'The status is bankruptcy.', 'company.status', '', False),
(4, 'reorganizing', 'Being reorganized', 'В процессе реорганизации', 'notice', 10, 'company', [10], 'The status is reorganizing.', 'company.status', '', False),
(5, 'invalid_data', 'Unreliable data in the register', 'Недостоверные сведения в реестре', 'notice', 20, 'company', [10, 12], 'The card''s flag invalid_data is set: the register holds a record of unreliable data.', 'company.invalid_data', '', False),
(6, 'invalid_address', 'Unreliable address', 'Недостоверный адрес', 'notice', 15, 'company', [10], 'The card''s flag invalid_address is set: a record of unreliable data stands on the address.', 'company.invalid_address', '', False),
(7, 'illegal_finance', 'Flag under the anti-money-laundering law', 'Признак по закону 115-ФЗ', 'notice', 25, 'company', [10, 12], 'The card''s flag illegal_finance is set: the anti-money-laundering law.', 'company.illegal_finance', '', False),
(8, 'sanctions_founders', 'Founder on a sanctions list', 'Учредитель под санкциями', 'alert', 30, 'company', [10], 'The card''s flag sanctions_founders is set: founders stand in sanctions lists.', 'company.sanctions_founders', '', False),
(9, 'card_sanctions', 'On a sanctions list by the card', 'Санкции по карточке', 'alert', 30, 'company', [10, 12], 'The card''s flag sanctions is set: it stands in sanctions lists.', 'company.sanctions', '', False),
(10, 'card_unfair_supplier', 'Unfair supplier by the card', 'Недобросовестный поставщик по карточке', 'notice', 10, 'company', [10, 12], 'The card''s flag unfair_supplier is set: it stands in the register of unfair suppliers.', 'company.unfair_supplier', '', False),
(11, 'card_disqualified', 'Disqualified person by the card', 'Дисквалифицированное лицо по карточке', 'notice', 10, 'company', [10], 'The card''s flag disqualified_persons is set: a manager or founder is disqualified.', 'company.disqualified_persons', '', False),
(12, 'card_mass_director', 'Mass director by the card', 'Массовый руководитель по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_director is set: the manager heads several entities.', 'company.mass_director', '', False),
(13, 'card_mass_founder', 'Mass founder by the card', 'Массовый учредитель по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_founder is set: a founder is a mass founder.', 'company.mass_founder', '', False),
(14, 'card_mass_address', 'Mass address by the card', 'Массовый адрес по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_address is set: the address is one of mass registration.', 'company.mass_address', '', False),
(15, 'young', 'Younger than a year', 'Моложе года', 'notice', 10, 'company', [10, 12], 'Registered less than 365 days ago, counted to today.', 'company.registration_date', '', False),
(16, 'tiny_capital', 'Smallest authorized capital', 'Минимальный уставный капитал', 'info', 2, 'company', [10], 'The authorized capital is 10 000 RUB, the least that the law allows, or less.', 'company.authorized_capital', '', False),
(17, 'bankruptcy_stage', 'In bankruptcy', 'Процедура банкротства', 'alert', 70, 'bankruptcy', [10, 12], 'A stage of bankruptcy is recognised that is not completed.', 'bankruptcy.has_bankruptcy, status', '', False),
(18, 'bankruptcy_completed', 'Bankruptcy completed', 'Банкротство завершено', 'notice', 30, 'bankruptcy', [10, 12], 'The heaviest stage recognised is completed.', 'bankruptcy.status', '', False),
(19, 'bankruptcy_intention', 'Intention to file for bankruptcy', 'Намерение подать на банкротство', 'alert', 40, 'bankruptcy', [10, 12], 'A notice of the intention to go to court is published.', 'bankruptcy.has_intention', '', False),
(20, 'account_freeze', 'Accounts suspended', 'Блокировка счетов', 'alert', 40, 'freezes', [10], 'There is a decision in force to suspend accounts.', 'freezes.found, items', '', True),
(21, 'sanctions_hit', 'On a sanctions list', 'В санкционных списках', 'alert', 70, 'sanctions', [10], 'A list has it by INN or by its whole name, or does not say how sure it is.', 'sanctions.hits', '', False),
(22, 'sanctions_namesake', 'Perhaps on a sanctions list', 'Возможное совпадение в санкционных списках', 'notice', 10, 'sanctions', [10], 'Lists have it by single words of the name alone (confidence low): to be checked by eye.', 'sanctions.hits.match_confidence', '', False),
(23, 'foreign_agent', 'Foreign agent', 'Иностранный агент', 'alert', 30, 'minjust_check', [10], 'The register of foreign agents has a match.', 'minjust_check.hits', '', False),
(24, 'rnp_active', 'Unfair supplier', 'Недобросовестный поставщик', 'alert', 40, 'rnp', [10], 'An entry in the register of unfair suppliers is in force.', 'rnp.active, records.status', '', False),
(25, 'rnp_past', 'Unfair supplier in the past', 'Был недобросовестным поставщиком', 'info', 5, 'rnp', [10], 'There are excluded entries in the register of unfair suppliers.', 'rnp.historic', '', False),
(26, 'disqualified_persons', 'Disqualified person in charge', 'Дисквалифицированное лицо в руководстве', 'alert', 40, 'risk_flags', [10], 'A manager or founder of today is disqualified.', 'risk_flags.disqualified_persons, disqualified_records', 'mass_check_unavailable', False),
(27, 'mass_director', 'Mass director', 'Массовый руководитель', 'notice', 10, 'risk_flags', [10], 'The manager heads five entities or more.', 'risk_flags.mass_director', 'mass_check_unavailable', False),
(28, 'mass_founder', 'Mass founder', 'Массовый учредитель', 'notice', 5, 'risk_flags', [10], 'A founder takes part in five entities or more.', 'risk_flags.mass_founder', 'mass_check_unavailable', False),
(29, 'mass_address', 'Mass address', 'Адрес массовой регистрации', 'notice', 10, 'risk_flags', [10], 'The address is a mass one.', 'risk_flags.mass_address', 'mass_check_unavailable', False),
(30, 'linked_closed', 'Linked companies closed', 'Связанные компании ликвидированы', 'notice', 5, 'risk_flags', [10], 'Three linked companies or more are liquidated or inactive, and these are half of all or more.', 'risk_flags.linked_companies.historic', '', False),
(31, 'inspection_violations', 'Inspections with violations', 'Проверки с нарушениями', 'notice', 5, 'inspections', [10], 'An inspection found violations.', 'inspections.with_violations, inspections.has_violations', '', False),
(32, 'pledges', 'Assets pledged', 'Имущество в залоге', 'info', 3, 'pledges', [10], 'There are notices of pledge, those of leasing left out.', 'pledges.pledges.source', '', False),
(33, 'leasing', 'Leased assets', 'Имущество в лизинге', 'info', 1, 'leasing', [10], 'There are leasing contracts: what is used is not owned.', 'leasing.total_contracts', '', False),
(34, 'enforcement_no_assets', 'Enforcement ended for want of assets', 'Взыскание окончено: нет имущества', 'alert', 25, 'fssp', [10, 12], 'A proceeding ended because neither debtor nor assets were found.', 'fssp.completed_no_assets, proceedings.completion_reason', '', False),
(35, 'enforcement_active', 'Active enforcement', 'Действующие исполнительные производства', 'notice', 10, 'fssp', [10, 12], 'A proceeding goes on.', 'fssp.active_proceedings, proceedings.is_active', '', False),
(36, 'enforcement_large', 'Large debt under enforcement', 'Крупный долг у приставов', 'alert', 20, 'fssp', [10, 12], 'Active proceedings are for 1 000 000 RUB or more; not known where less is told and some have no amount.', 'fssp.active_debt_rub, proceedings.sum', '', False),
(37, 'tax_debt', 'Tax debt', 'Налоговая задолженность', 'notice', 10, 'tax_debts', [10], 'The tax authority''s data set has a debt.', 'tax_debts.total_sum', '', False),
(38, 'tax_debt_large', 'Large tax debt', 'Крупная налоговая задолженность', 'alert', 20, 'tax_debts', [10], 'The debt is 500 000 RUB or more.', 'tax_debts.total_sum', '', False),
(39, 'tax_fines', 'Fines for tax offences', 'Штрафы за налоговые правонарушения', 'info', 5, 'tax_offences', [10], 'The tax authority''s data set has a fine.', 'tax_offences.total_sum', '', False),
(40, 'arbitration_respondent', 'Respondent in arbitration', 'Ответчик в арбитраже', 'info', 3, 'arbitration', [10, 12], 'It is the respondent of an arbitration case.', 'arbitration.as_respondent', '', False),
(41, 'arbitration_often_respondent', 'Often respondent in arbitration', 'Часто ответчик в арбитраже', 'notice', 10, 'arbitration', [10, 12], 'It is the respondent of five cases or more, and of half of all or more.', 'arbitration.as_respondent, total_cases', '', False),
(42, 'arbitration_claims', 'Large claims in arbitration', 'Крупные иски в арбитраже', 'notice', 15, 'arbitration', [10, 12], 'Cases of the last three years against it, without an outcome so far, claim 1 000 000 RUB or more together; not known where less is told and some claims are not.', 'arbitration.cases.claim_sum, result, date', '', False),
(43, 'arbitration_lost', 'Lost cases in arbitration', 'Проигранные дела в арбитраже', 'info', 5, 'arbitration', [10, 12], 'It lost a case as respondent.', 'arbitration.lost', '', False),
(44, 'arbitration_bankruptcy', 'Bankruptcy case in arbitration', 'Дело о банкротстве в арбитраже', 'alert', 30, 'arbitration', [10, 12], 'It is the respondent (debtor) of a bankruptcy case without an outcome so far.', 'arbitration.cases.type, role, result', '', False),
(45, 'court_respondent', 'Respondent in a general court', 'Ответчик в суде общей юрисдикции', 'info', 3, 'general_courts', [10], 'It is the respondent or debtor of a case; not known where a role is not recognised.', 'general_courts.cases.role', '', False),
(46, 'court_accused', 'Accused in a general court', 'Подсудимый в суде общей юрисдикции', 'notice', 15, 'general_courts', [10], 'It stands accused in a criminal case; not known where a role is not recognised.', 'general_courts.cases.role', '', False),
(47, 'court_administrative', 'Administrative case in a general court', 'Административное дело в суде', 'info', 3, 'general_courts', [10], 'It is called to account in an administrative case; not known where a role is not recognised.', 'general_courts.cases.role', '', False),
(48, 'loss', 'Loss in the last year', 'Убыток за последний год', 'notice', 10, 'financial', [10], 'The net profit of the latest year is negative.', 'financial.indicators: net_profit', '', False),
(49, 'loss_repeated', 'Losses two years running', 'Убытки два года подряд', 'notice', 5, 'financial', [10], 'The net profit of the latest year and of the year before is negative.', 'financial.indicators: net_profit', '', False),
(50, 'negative_equity', 'Negative equity', 'Отрицательный собственный капитал', 'alert', 20, 'financial', [10], 'The equity at the end of the latest year is negative: liabilities exceed assets.', 'financial.indicators: equity', '', False),
(51, 'revenue_fall', 'Revenue fell by 30 %', 'Выручка упала на 30 %', 'notice', 10, 'financial', [10], 'The revenue of the latest year is 70 % of that of the year before, or less.', 'financial.indicators: revenue', '', False),
(52, 'no_revenue', 'No revenue in the last year', 'Нет выручки за последний год', 'notice', 10, 'financial', [10], 'The revenue of the latest year is 0.', 'financial.indicators: revenue', '', False),
(53, 'illiquid', 'Current assets below short-term debts', 'Оборотных активов меньше краткосрочных долгов', 'info', 5, 'financial', [10], 'At the end of the latest year current assets are less than short-term liabilities.', 'financial.indicators: current_assets, short_term_liabilities', '', False),
(54, 'expense_over_income', 'Expense above income', 'Расходы больше доходов', 'info', 3, 'revexp', [10], 'By the tax authority''s data set the expense of the period exceeds its income.', 'revexp.revenue, expense', '', False),
(55, 'no_employees', 'At most one employee', 'Не больше одного работника', 'info', 3, 'employees', [10], 'The average headcount of the tax authority''s data set is 0 or 1.', 'employees.headcount', '', False)
) r (number, signal, title, title_ru, severity, weight, block, digits, condition, source, unseen, partial_shows) ON r.number = d.number
    WHERE list_contains(r.digits, CASE WHEN length(d.inn) = 10 THEN 10 ELSE 12 END)
),
signals AS (
    SELECT inn, signal, title, title_ru, severity, weight, word AS state,
           word = 'absent' OR (word = 'present' AND heard) AS confirmed,
           CASE WHEN present THEN since END AS since, CASE WHEN present THEN evidence END AS evidence, block,
           CASE WHEN word = 'never asked' OR word = 'absent' OR (word = 'present' AND heard) THEN NULL
                WHEN state IN ('found', 'clean') THEN 'the answer does not tell'
                ELSE concat_ws(': ', state, reason) END AS reason,
           checked_at,
           CASE WHEN word IN ('present', 'absent') THEN version_id END AS version_id,
           CASE WHEN word IN ('present', 'absent') THEN snapshot_id ELSE last_snapshot_id END AS snapshot_id
    FROM stated
),
weighed AS (
    SELECT inn,
           coalesce(sum(weight) FILTER (state = 'present'), 0)::INTEGER AS score,
           coalesce(sum(weight) FILTER (state = 'present' AND confirmed), 0)::INTEGER AS score_confirmed,
           coalesce(sum(weight) FILTER (state IN ('not confirmed', 'never asked')), 0)::INTEGER AS score_unknown,
           coalesce(sum(weight) FILTER (confirmed), 0)::DOUBLE AS confirmed_weight,
           sum(weight)::DOUBLE AS weight,
           count(*) FILTER (state = 'present') AS present,
           count(*) FILTER (state = 'absent') AS absent,
           count(*) FILTER (state = 'not confirmed') AS not_confirmed,
           count(*) FILTER (state = 'never asked') AS never_asked,
           coalesce(list(title ORDER BY weight DESC, signal) FILTER (state = 'present'), []) AS reasons,
           coalesce(list(title_ru ORDER BY weight DESC, signal) FILTER (state = 'present'), []) AS reasons_ru,
           coalesce(list(signal ORDER BY weight DESC, signal) FILTER (state IN ('not confirmed', 'never asked')), [])
               AS unknown_signals,
           min(checked_at) AS checked_at
    FROM signals GROUP BY inn
),
scores AS (
    SELECT inn, score, score_confirmed, score_unknown, score + score_unknown AS score_most,
           confirmed_weight / weight AS confirmed_share,
           CASE WHEN score >= 60 THEN 'critical' WHEN score >= 30 THEN 'high' WHEN score >= 10 THEN 'medium'
                WHEN 2 * confirmed_weight < weight THEN 'unknown' ELSE 'low' END AS level,
           present, absent, not_confirmed, never_asked, reasons, reasons_ru, unknown_signals, checked_at
    FROM weighed
)
SELECT * FROM scores
;
CREATE OR REPLACE VIEW mart."company_profile" AS -- One counterparty in one row: who it is, how big, what weighs against it, and how much of that is known. A figure is NULL where its block is not known, never 0.
-- inn: INN of a portfolio's member, or that was ever asked.
-- kind: company (10 digits) or person (12 digits).
-- name: Full name by the card, else the name that the latest portfolio gives.
-- short_name: Short name by the card.
-- portfolio_name: Name that the portfolio which saw it last gives.
-- portfolios: Portfolios that have it as a member.
-- tags: Tags of all its portfolios.
-- extra: The own columns of the portfolio's file that saw it last.
-- region: Region: the first two digits of the INN.
-- status: Status by the card.
-- status_description: Status as the source words it.
-- registration_date: Day of registration.
-- liquidation_date: Day of termination.
-- age_years: Years from registration to today, or to the termination.
-- director: Person who acts without power of attorney.
-- address: Registered address.
-- okved_main: Code of the main activity.
-- okved_name: Name of the main activity.
-- authorized_capital_rub: Authorized capital.
-- sme_category: Category in the register of small business, else by the card.
-- headcount: Average headcount of the tax authority's data set, else by the card.
-- headcount_date: Day for which it holds.
-- revenue_rub: Revenue by the tax authority's data set or by the statements, whichever is later.
-- expense_rub: Expense by the tax authority's data set, where the revenue is from there.
-- revenue_period: Last day of the period of the revenue.
-- revenue_source: Block that the revenue is from: revexp or financial.
-- net_profit_rub: Net profit of the latest year of the statements.
-- statements_year: Latest year of the statements.
-- active_debt_rub: Debt over the active enforcement proceedings; one without an amount adds nothing (see mart.enforcement).
-- active_proceedings: Active enforcement proceedings.
-- tax_debt_rub: Tax debt.
-- tax_fines_rub: Fines for tax offences.
-- cases: Arbitration cases.
-- cases_as_respondent: Arbitration cases as respondent.
-- claims_rub: Known claims of the arbitration cases as respondent, together; NULL where there are such cases and no claim is known.
-- general_court_cases: Cases in general courts.
-- freezes: Decisions in force to suspend accounts; 30 says at least so many.
-- sanction_hits: Matches in sanctions lists, those of low confidence left out.
-- rnp_active: Whether an entry in the register of unfair suppliers is in force.
-- bankruptcy_stage: Heaviest stage of bankruptcy; NULL where there is none or it is not known (see bankruptcy_known).
-- bankruptcy_known: Whether bankruptcy was ever answered.
-- bankruptcy_intention: Whether a notice of the intention to go to court is published.
-- contracts: State contracts; 5000 says at least so many.
-- contracts_rub: Prices of the state contracts.
-- pledges: Notices of pledge and leasing.
-- inspections_with_violations: Inspections with violations.
-- licenses: Licences.
-- trademarks: Trademarks, found by name.
-- score: Score of mart.risk_score.
-- score_unknown: Weight of what is not known for the score.
-- confirmed_share: Share of the weight that is confirmed.
-- level: Level of mart.risk_score.
-- blocks_askable: Blocks that can be asked.
-- blocks_confirmed: Blocks whose latest answer is found, clean or partial.
-- blocks_unconfirmed: Blocks that were asked and whose latest answer is no evidence.
-- blocks_never_asked: Blocks never asked.
-- checked_at: When the newest of what is known was last confirmed, UTC; NULL where nothing is known.
-- oldest_checked_at: When the oldest of what is known was last confirmed, UTC.
-- collected_at: When the service had collected the oldest of what is known, UTC.
WITH knowledge AS (
    SELECT s.inn, b.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage._latest
          UNION SELECT inn FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id))) s
    JOIN (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)) b (block, digits) ON b.digits = length(s.inn)
    LEFT JOIN (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.checked_at, l.collected_at FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l ON l.inn = s.inn AND l.block = b.block
),
partly AS (
    SELECT s.inn, s.block, arg_max(s.version_id, (s.asked_at, s.snapshot_id)) AS earlier_version_id
    FROM lineage.snapshots s JOIN knowledge k ON k.inn = s.inn AND k.block = s.block
    WHERE k.state = 'partial' AND s.version_id IS NOT NULL AND s.snapshot_id <> k.last_snapshot_id
    GROUP BY s.inn, s.block
),
judging AS MATERIALIZED (
    SELECT coalesce(k.inn, v.inn) AS inn, b.block, b.block_no, k.state, k.reason, k.last_snapshot_id,
           coalesce(k.version_id, v.version_id) AS version_id, k.snapshot_id, k.checked_at, v.first_seen_at,
           v.last_seen_at AS ended_at, k.inn IS NOT NULL AS latest, k.state = 'partial' AS partial,
           CASE WHEN k.inn IS NULL THEN v.version_id END AS old_version_id
    FROM knowledge k FULL JOIN lineage.versions v ON v.version_id = k.version_id
    JOIN (VALUES ('company', 1), ('fssp', 2), ('arbitration', 3), ('bankruptcy', 4), ('financial', 6), ('pledges', 7), ('inspections', 8), ('risk_flags', 9), ('rnp', 10), ('sanctions', 11), ('freezes', 13), ('general_courts', 14), ('tax_debts', 16), ('tax_offences', 17), ('employees', 18), ('revexp', 19), ('leasing', 21), ('minjust_check', 24)) b (block, block_no) ON b.block = coalesce(k.block, v.block)
),
found AS MATERIALIZED (SELECT k.*,
       unnest([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.liquidation_date IS NOT NULL THEN true ELSE t.status = 'liquidated' END) END, CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'liquidating') END, CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'bankruptcy') END, CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'reorganizing') END, CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_data) END, CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_address) END, CASE WHEN t.version_id IS NOT NULL THEN (t.illegal_finance) END, CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions_founders) END, CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions) END, CASE WHEN t.version_id IS NOT NULL THEN (t.unfair_supplier) END, CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END, CASE WHEN t.version_id IS NOT NULL THEN (t.registration_date > (now() AT TIME ZONE 'UTC')::DATE - 365) END, CASE WHEN t.version_id IS NOT NULL THEN (t.authorized_capital <= 10000) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.liquidation_date IS NOT NULL THEN true ELSE t.status = 'liquidated' END) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'liquidating') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'bankruptcy') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.status = 'reorganizing') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_data) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.invalid_address) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.illegal_finance) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions_founders) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.sanctions) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.unfair_supplier) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.registration_date > (now() AT TIME ZONE 'UTC')::DATE - 365) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.authorized_capital <= 10000) END THEN [{'began': (t.liquidation_date)::TIMESTAMP, 'evidence': (concat_ws('; ', t.status_description, t.termination_reason))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (t.status_description)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (t.status_description)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (t.status_description)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (t.registration_date)::TIMESTAMP, 'evidence': ('registered ' || t.registration_date)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.authorized_capital)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."company" t ON t.version_id = k.version_id
WHERE k.block_no = 1
UNION ALL
SELECT k.*,
       unnest([34, 35, 36]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.completed_no_assets > 0 OR coalesce(a.no_assets, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.active_proceedings > 0 OR coalesce(a.active, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.active_debt_rub >= 1000000 THEN true WHEN coalesce(a.active_unpriced, 0) > 0 THEN NULL WHEN t.active_debt_rub IS NOT NULL THEN false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.completed_no_assets > 0 OR coalesce(a.no_assets, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.active_proceedings > 0 OR coalesce(a.active, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN t.active_debt_rub >= 1000000 THEN true WHEN coalesce(a.active_unpriced, 0) > 0 THEN NULL WHEN t.active_debt_rub IS NOT NULL THEN false END) END THEN [{'began': (a.no_assets_since)::TIMESTAMP, 'evidence': ('proceedings: ' || greatest(t.completed_no_assets, a.no_assets))::VARCHAR}, {'began': (a.active_since)::TIMESTAMP, 'evidence': ('proceedings: ' || greatest(t.active_proceedings, a.active) || ', ' || replace(format('{:,.2f}', (t.active_debt_rub)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (a.active_since)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.active_debt_rub)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."fssp" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (completion_reason = 'no_assets') AS no_assets,
       min(process_date) FILTER (completion_reason = 'no_assets') AS no_assets_since,
       count(*) FILTER (is_active) AS active, min(process_date) FILTER (is_active) AS active_since,
       count(*) FILTER (is_active AND sum IS NULL) AS active_unpriced
FROM core.fssp__proceedings GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 2
UNION ALL
SELECT k.*,
       unnest([40, 41, 42, 43, 44]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent >= 5 AND 2 * t.as_respondent >= t.total_cases) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.claims, 0) >= 1000000 THEN true WHEN coalesce(a.unpriced, 0) > 0 THEN NULL ELSE false END) END, CASE WHEN t.version_id IS NOT NULL THEN (t.lost > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.bankruptcy, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.as_respondent >= 5 AND 2 * t.as_respondent >= t.total_cases) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.claims, 0) >= 1000000 THEN true WHEN coalesce(a.unpriced, 0) > 0 THEN NULL ELSE false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.lost > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.bankruptcy, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('cases: ' || t.as_respondent || ' of ' || t.total_cases)::VARCHAR}, {'began': (a.since)::TIMESTAMP, 'evidence': ('cases: ' || t.as_respondent || ' of ' || t.total_cases)::VARCHAR}, {'began': (a.claims_since)::TIMESTAMP, 'evidence': ('cases: ' || a.claimed || ', ' || replace(format('{:,.2f}', (a.claims)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('cases lost: ' || t.lost)::VARCHAR}, {'began': (a.bankruptcy_since)::TIMESTAMP, 'evidence': ('case ' || a.bankruptcy_case)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."arbitration" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, min(date) FILTER (against) AS since, sum(claim_sum) FILTER (lately) AS claims,
       count(*) FILTER (lately) AS claimed, count(*) FILTER (lately AND claim_sum IS NULL) AS unpriced,
       min(date) FILTER (lately) AS claims_since,
       count(*) FILTER (insolvent) AS bankruptcy, min(date) FILTER (insolvent) AS bankruptcy_since,
       max_by(case_number, coalesce(date, DATE '1900-01-01')) FILTER (insolvent) AS bankruptcy_case
FROM (SELECT *, role = 'respondent' AS against,
             role = 'respondent' AND result IS NULL AND type = 'Банкротство' AS insolvent,
             role = 'respondent' AND result IS NULL AND type IS DISTINCT FROM 'Банкротство'
             AND coalesce(date > (now() AT TIME ZONE 'UTC')::DATE - INTERVAL 3 YEAR, true) AS lately
      FROM core.arbitration__cases) GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 3
UNION ALL
SELECT k.*,
       unnest([17, 18, 19]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') <> 'completed') END, CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') = 'completed') END, CASE WHEN t.version_id IS NOT NULL THEN (t.has_intention) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') <> 'completed') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.has_bankruptcy AND coalesce(t.status, '') = 'completed') END OR CASE WHEN t.version_id IS NOT NULL THEN (t.has_intention) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': (concat_ws(', ', t.status, 'case ' || a.case_number))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('case ' || a.case_number)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."bankruptcy" t ON t.version_id = k.version_id
LEFT JOIN (SELECT version_id, max(case_number) AS case_number FROM core.bankruptcy__cases GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 4
UNION ALL
SELECT k.*,
       unnest([48, 49, 50, 51, 52, 53]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0) END, CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0 AND a.profit_before < 0) END, CASE WHEN t.version_id IS NOT NULL THEN (a.equity < 0) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN a.revenue_before > 0 THEN a.revenue <= 0.7 * a.revenue_before WHEN a.revenue_before = 0 THEN false END) END, CASE WHEN t.version_id IS NOT NULL THEN (a.revenue = 0) END, CASE WHEN t.version_id IS NOT NULL THEN (a.current_assets < a.short_term_liabilities) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.profit < 0 AND a.profit_before < 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.equity < 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN a.revenue_before > 0 THEN a.revenue <= 0.7 * a.revenue_before WHEN a.revenue_before = 0 THEN false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.revenue = 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (a.current_assets < a.short_term_liabilities) END THEN [{'began': (make_date(a.year, 1, 1))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.profit)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year - 1, 1, 1))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.profit)::DOUBLE), ',', ' ') || ' RUB' || ', before: ' || replace(format('{:,.2f}', (a.profit_before)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year, 12, 31))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.equity)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year, 1, 1))::TIMESTAMP, 'evidence': (a.year || ': ' || replace(format('{:,.2f}', (a.revenue)::DOUBLE), ',', ' ') || ' RUB' || ', before: ' || replace(format('{:,.2f}', (a.revenue_before)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (make_date(a.year, 1, 1))::TIMESTAMP, 'evidence': (a.year::VARCHAR)::VARCHAR}, {'began': (make_date(a.year, 12, 31))::TIMESTAMP, 'evidence': (a.year::VARCHAR)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."financial" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT l.version_id, l.year,
       max(i.amount) FILTER (i.indicator = 'net_profit' AND i.year = l.year) AS profit,
       max(i.amount) FILTER (i.indicator = 'net_profit' AND i.year < l.year) AS profit_before,
       max(i.amount) FILTER (i.indicator = 'equity' AND i.year = l.year) AS equity,
       max(i.amount) FILTER (i.indicator = 'revenue' AND i.year = l.year) AS revenue,
       max(i.amount) FILTER (i.indicator = 'revenue' AND i.year < l.year) AS revenue_before,
       max(i.amount) FILTER (i.indicator = 'current_assets' AND i.year = l.year) AS current_assets,
       max(i.amount) FILTER (i.indicator = 'short_term_liabilities' AND i.year = l.year) AS short_term_liabilities
FROM (SELECT version_id, max(year) AS year FROM core.financial__indicators GROUP BY version_id) l
JOIN core.financial__indicators i ON i.version_id = l.version_id AND i.year >= l.year - 1
WHERE i.indicator IN ('net_profit', 'equity', 'revenue', 'current_assets', 'short_term_liabilities')
GROUP BY l.version_id, l.year) a ON a.version_id = k.version_id
WHERE k.block_no = 6
UNION ALL
SELECT k.*,
       unnest([32]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.pledged, 0) > 0 THEN true WHEN t.total_pledges > coalesce(a.leased, 0) THEN NULL WHEN t.total_pledges IS NOT NULL THEN false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.pledged, 0) > 0 THEN true WHEN t.total_pledges > coalesce(a.leased, 0) THEN NULL WHEN t.total_pledges IS NOT NULL THEN false END) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('notices: ' || a.pledged)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."pledges" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (source IS DISTINCT FROM 'fedresurs') AS pledged,
       count(*) FILTER (source = 'fedresurs') AS leased,
       min(reg_date) FILTER (source IS DISTINCT FROM 'fedresurs') AS since
FROM core.pledges__pledges GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 7
UNION ALL
SELECT k.*,
       unnest([31]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.with_violations > 0 OR coalesce(a.violations, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.with_violations > 0 OR coalesce(a.violations, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('with violations: ' || greatest(t.with_violations, a.violations) || ' of ' || t.total)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."inspections" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) AS violations, max(start_date) AS since
FROM core.inspections__inspections WHERE has_violations GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 8
UNION ALL
SELECT k.*,
       unnest([26, 27, 28, 29, 30]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END, CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.closed, 0) >= 3 AND 2 * a.closed >= a.linked THEN true WHEN coalesce(a.closed, 0) + coalesce(a.untold, 0) >= 3 AND a.untold > 0 THEN NULL ELSE false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.disqualified_persons) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_director) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_founder) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.mass_address) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.closed, 0) >= 3 AND 2 * a.closed >= a.linked THEN true WHEN coalesce(a.closed, 0) + coalesce(a.untold, 0) >= 3 AND a.untold > 0 THEN NULL ELSE false END) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (concat_ws(', ', a.name, 'until ' || a.until))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': (NULL)::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('linked companies: ' || a.linked || ', closed: ' || a.closed)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."risk_flags" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT v.version_id, d.since, d.until, d.name, l.linked, l.closed, l.untold
FROM (SELECT version_id FROM core.risk_flags) v
LEFT JOIN (SELECT version_id, min(start_date) AS since, max(end_date) AS until,
                  min_by(coalesce(matched_name, queried_name), disqualified_records_no) AS name
           FROM core.risk_flags__disqualified_records GROUP BY version_id) d USING (version_id)
LEFT JOIN (SELECT version_id, count(*) AS linked, count(*) FILTER (historic) AS closed,
                  count(*) FILTER (historic IS NULL) AS untold
           FROM core.risk_flags__linked_companies GROUP BY version_id) l USING (version_id)) a ON a.version_id = k.version_id
WHERE k.block_no = 9
UNION ALL
SELECT k.*,
       unnest([24, 25]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.active > 0 OR coalesce(a.active, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.historic > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.active > 0 OR coalesce(a.active, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.historic > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': ('No. ' || a.number || coalesce(', ' || a.reason, ''))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('excluded entries: ' || t.historic)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."rnp" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) AS active, min(inclusion_date) AS since, min_by(reg_number, records_no) AS number,
       min_by(reason, records_no) AS reason
FROM core.rnp__records WHERE status IS DISTINCT FROM 'Исключено' GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 10
UNION ALL
SELECT k.*,
       unnest([21, 22]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) = 0 AND coalesce(a.unsure, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.sure, 0) = 0 AND coalesce(a.unsure, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (concat_ws(': ', a.list, a.name))::VARCHAR}, {'began': (NULL)::TIMESTAMP, 'evidence': ('matches of low confidence: ' || a.unsure)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."sanctions" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (sure) AS sure, count(*) FILTER (NOT sure) AS unsure,
       min(designated_at) FILTER (sure) AS since,
       min_by(coalesce(list_label, source), hits_no) FILTER (sure) AS list,
       min_by(coalesce(name, name_ru), hits_no) FILTER (sure) AS name
FROM (SELECT *, coalesce(match_confidence, '') <> 'low' AS sure FROM core.sanctions__hits) GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 11
UNION ALL
SELECT k.*,
       unnest([20]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.found OR coalesce(a.items, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.found OR coalesce(a.items, 0) > 0) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (concat_ws(', ', 'decisions: ' || coalesce(a.items, t.count), 'No. ' || a.number || ' of ' || a.latest, a.bank))::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."freezes" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) AS items, min(decision_date) AS since, max(decision_date) AS latest,
       max_by(decision_num, coalesce(decision_date, DATE '1900-01-01')) AS number,
       max_by(bank, coalesce(decision_date, DATE '1900-01-01')) AS bank
FROM core.freezes__items GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 13
UNION ALL
SELECT k.*,
       unnest([45, 46, 47]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.respondent, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.accused, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END, CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.called, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.respondent, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.accused, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END OR CASE WHEN t.version_id IS NOT NULL THEN (CASE WHEN coalesce(a.called, 0) > 0 THEN true WHEN coalesce(a.unknown_role, 0) > 0 THEN NULL ELSE false END) END THEN [{'began': (a.respondent_since)::TIMESTAMP, 'evidence': ('cases: ' || a.respondent)::VARCHAR}, {'began': (a.accused_since)::TIMESTAMP, 'evidence': ('cases: ' || a.accused)::VARCHAR}, {'began': (a.called_since)::TIMESTAMP, 'evidence': ('cases: ' || a.called)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."general_courts" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(*) FILTER (role IN ('ответчик', 'должник')) AS respondent,
       min(date) FILTER (role IN ('ответчик', 'должник')) AS respondent_since,
       count(*) FILTER (role = 'подсудимый') AS accused, min(date) FILTER (role = 'подсудимый') AS accused_since,
       count(*) FILTER (role = 'привлекаемое лицо') AS called,
       min(date) FILTER (role = 'привлекаемое лицо') AS called_since,
       count(*) FILTER (role IS NULL) AS unknown_role
FROM core.general_courts__cases GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 14
UNION ALL
SELECT k.*,
       unnest([37, 38]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END, CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum >= 500000) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END OR CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum >= 500000) END THEN [{'began': (a.since)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.total_sum)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}, {'began': (a.since)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.total_sum)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."tax_debts" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, min(record_date) AS since FROM core.tax_debts__records GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 16
UNION ALL
SELECT k.*,
       unnest([39]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.total_sum > 0) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.total_sum)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."tax_offences" t ON t.version_id = k.version_id
WHERE k.block_no = 17
UNION ALL
SELECT k.*,
       unnest([55]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.headcount <= 1) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.headcount <= 1) END THEN [{'began': (t.publish_date)::TIMESTAMP, 'evidence': ('headcount ' || t.headcount)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."employees" t ON t.version_id = k.version_id
WHERE k.block_no = 18
UNION ALL
SELECT k.*,
       unnest([54]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.expense > t.revenue) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.expense > t.revenue) END THEN [{'began': (t.period)::TIMESTAMP, 'evidence': (replace(format('{:,.2f}', (t.revenue)::DOUBLE), ',', ' ') || ' RUB' || ' against ' || replace(format('{:,.2f}', (t.expense)::DOUBLE), ',', ' ') || ' RUB')::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."revexp" t ON t.version_id = k.version_id
WHERE k.block_no = 19
UNION ALL
SELECT k.*,
       unnest([33]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (t.total_contracts > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (t.total_contracts > 0) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': ('contracts: ' || t.total_contracts)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."leasing" t ON t.version_id = k.version_id
WHERE k.block_no = 21
UNION ALL
SELECT k.*,
       unnest([23]) AS number, unnest([CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.hits, 0) > 0) END]) AS present,
       unnest(CASE WHEN CASE WHEN t.version_id IS NOT NULL THEN (coalesce(a.hits, 0) > 0) END THEN [{'began': (NULL)::TIMESTAMP, 'evidence': ('matches: ' || a.hits)::VARCHAR}] END) AS shown
FROM judging k LEFT JOIN core."minjust_check" t ON t.version_id = k.version_id
LEFT JOIN (
SELECT version_id, count(DISTINCT regexp_extract(path, '^\$\.hits\[\d+\]')) AS hits
FROM core.minjust_check__leaves WHERE path LIKE '$.hits[%' GROUP BY version_id) a ON a.version_id = k.version_id
WHERE k.block_no = 24),
past AS (
    SELECT inn, number, old_version_id AS version_id, present, first_seen_at, ended_at
    FROM found WHERE NOT latest
),
gone AS (SELECT inn, number, max(ended_at) AS gone_at FROM past WHERE NOT coalesce(present, false) GROUP BY ALL),
ran AS (
    SELECT p.inn, p.number, min(p.first_seen_at) AS first_seen_at
    FROM past p LEFT JOIN gone g ON g.inn = p.inn AND g.number = p.number
    WHERE p.present AND (g.gone_at IS NULL OR p.first_seen_at > g.gone_at) GROUP BY p.inn, p.number
),
dated AS (
    SELECT f.* EXCLUDE (shown), f.shown.evidence AS evidence,
           coalesce(f.shown.began,
                    least(CASE WHEN g.gone_at IS NULL OR f.first_seen_at > g.gone_at THEN f.first_seen_at END,
                          n.first_seen_at), g.gone_at) AS since,
           f.partial AND w.earlier_version_id IS NOT NULL
           AND (w.earlier_version_id = f.version_id OR coalesce(e.present, false)) AS carried
    FROM found f
    LEFT JOIN gone g ON g.inn = f.inn AND g.number = f.number
    LEFT JOIN ran n ON n.inn = f.inn AND n.number = f.number
    LEFT JOIN partly w ON w.inn = f.inn AND w.block = f.block
    LEFT JOIN past e ON e.inn = f.inn AND e.number = f.number AND e.version_id = w.earlier_version_id
    WHERE f.latest AND f.present AND (f.shown.began IS NULL OR f.partial)
    UNION ALL BY NAME
    SELECT * EXCLUDE (shown), shown.evidence AS evidence, shown.began AS since, false AS carried
    FROM found WHERE latest AND NOT (coalesce(present, false) AND (shown.began IS NULL OR partial))
),
stated AS (
    SELECT d.* EXCLUDE (block, number), r.* EXCLUDE (number),
           CASE WHEN d.present THEN 'present'
                WHEN d.state = 'never asked' THEN 'never asked'
                WHEN NOT d.present AND d.state IN ('found', 'clean') THEN 'absent'
                ELSE 'not confirmed' END AS word,
           d.state IN ('found', 'clean')
           OR (d.state = 'partial' AND (r.partial_shows OR NOT d.carried)
               AND NOT coalesce(contains(d.reason, nullif(r.unseen, '')), false)) AS heard
    FROM dated d
    JOIN (VALUES
(1, 'liquidated', 'Liquidated', 'Ликвидирована', 'alert', 60, 'company', [10, 12], 'The status is liquidated, or a day of termination is entered.', 'company.status, liquidation_date', '', False),
(2, 'liquidating', 'Being liquidated', 'В процессе ликвидации', 'alert', 40, 'company', [10, 12], 'The status is liquidating.', 'company.status', '', False),
(3, 'status_bankruptcy', 'Bankrupt by the card', 'Банкротство по карточке', 'alert', 40, 'company', [10, 12], 'The status is bankruptcy.', 'company.status', '', False),
(4, 'reorganizing', 'Being reorganized', 'В процессе реорганизации', 'notice', 10, 'company', [10], 'The status is reorganizing.', 'company.status', '', False),
(5, 'invalid_data', 'Unreliable data in the register', 'Недостоверные сведения в реестре', 'notice', 20, 'company', [10, 12], 'The card''s flag invalid_data is set: the register holds a record of unreliable data.', 'company.invalid_data', '', False),
(6, 'invalid_address', 'Unreliable address', 'Недостоверный адрес', 'notice', 15, 'company', [10], 'The card''s flag invalid_address is set: a record of unreliable data stands on the address.', 'company.invalid_address', '', False),
(7, 'illegal_finance', 'Flag under the anti-money-laundering law', 'Признак по закону 115-ФЗ', 'notice', 25, 'company', [10, 12], 'The card''s flag illegal_finance is set: the anti-money-laundering law.', 'company.illegal_finance', '', False),
(8, 'sanctions_founders', 'Founder on a sanctions list', 'Учредитель под санкциями', 'alert', 30, 'company', [10], 'The card''s flag sanctions_founders is set: founders stand in sanctions lists.', 'company.sanctions_founders', '', False),
(9, 'card_sanctions', 'On a sanctions list by the card', 'Санкции по карточке', 'alert', 30, 'company', [10, 12], 'The card''s flag sanctions is set: it stands in sanctions lists.', 'company.sanctions', '', False),
(10, 'card_unfair_supplier', 'Unfair supplier by the card', 'Недобросовестный поставщик по карточке', 'notice', 10, 'company', [10, 12], 'The card''s flag unfair_supplier is set: it stands in the register of unfair suppliers.', 'company.unfair_supplier', '', False),
(11, 'card_disqualified', 'Disqualified person by the card', 'Дисквалифицированное лицо по карточке', 'notice', 10, 'company', [10], 'The card''s flag disqualified_persons is set: a manager or founder is disqualified.', 'company.disqualified_persons', '', False),
(12, 'card_mass_director', 'Mass director by the card', 'Массовый руководитель по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_director is set: the manager heads several entities.', 'company.mass_director', '', False),
(13, 'card_mass_founder', 'Mass founder by the card', 'Массовый учредитель по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_founder is set: a founder is a mass founder.', 'company.mass_founder', '', False),
(14, 'card_mass_address', 'Mass address by the card', 'Массовый адрес по карточке', 'info', 5, 'company', [10], 'The card''s flag mass_address is set: the address is one of mass registration.', 'company.mass_address', '', False),
(15, 'young', 'Younger than a year', 'Моложе года', 'notice', 10, 'company', [10, 12], 'Registered less than 365 days ago, counted to today.', 'company.registration_date', '', False),
(16, 'tiny_capital', 'Smallest authorized capital', 'Минимальный уставный капитал', 'info', 2, 'company', [10], 'The authorized capital is 10 000 RUB, the least that the law allows, or less.', 'company.authorized_capital', '', False),
(17, 'bankruptcy_stage', 'In bankruptcy', 'Процедура банкротства', 'alert', 70, 'bankruptcy', [10, 12], 'A stage of bankruptcy is recognised that is not completed.', 'bankruptcy.has_bankruptcy, status', '', False),
(18, 'bankruptcy_completed', 'Bankruptcy completed', 'Банкротство завершено', 'notice', 30, 'bankruptcy', [10, 12], 'The heaviest stage recognised is completed.', 'bankruptcy.status', '', False),
(19, 'bankruptcy_intention', 'Intention to file for bankruptcy', 'Намерение подать на банкротство', 'alert', 40, 'bankruptcy', [10, 12], 'A notice of the intention to go to court is published.', 'bankruptcy.has_intention', '', False),
(20, 'account_freeze', 'Accounts suspended', 'Блокировка счетов', 'alert', 40, 'freezes', [10], 'There is a decision in force to suspend accounts.', 'freezes.found, items', '', True),
(21, 'sanctions_hit', 'On a sanctions list', 'В санкционных списках', 'alert', 70, 'sanctions', [10], 'A list has it by INN or by its whole name, or does not say how sure it is.', 'sanctions.hits', '', False),
(22, 'sanctions_namesake', 'Perhaps on a sanctions list', 'Возможное совпадение в санкционных списках', 'notice', 10, 'sanctions', [10], 'Lists have it by single words of the name alone (confidence low): to be checked by eye.', 'sanctions.hits.match_confidence', '', False),
(23, 'foreign_agent', 'Foreign agent', 'Иностранный агент', 'alert', 30, 'minjust_check', [10], 'The register of foreign agents has a match.', 'minjust_check.hits', '', False),
(24, 'rnp_active', 'Unfair supplier', 'Недобросовестный поставщик', 'alert', 40, 'rnp', [10], 'An entry in the register of unfair suppliers is in force.', 'rnp.active, records.status', '', False),
(25, 'rnp_past', 'Unfair supplier in the past', 'Был недобросовестным поставщиком', 'info', 5, 'rnp', [10], 'There are excluded entries in the register of unfair suppliers.', 'rnp.historic', '', False),
(26, 'disqualified_persons', 'Disqualified person in charge', 'Дисквалифицированное лицо в руководстве', 'alert', 40, 'risk_flags', [10], 'A manager or founder of today is disqualified.', 'risk_flags.disqualified_persons, disqualified_records', 'mass_check_unavailable', False),
(27, 'mass_director', 'Mass director', 'Массовый руководитель', 'notice', 10, 'risk_flags', [10], 'The manager heads five entities or more.', 'risk_flags.mass_director', 'mass_check_unavailable', False),
(28, 'mass_founder', 'Mass founder', 'Массовый учредитель', 'notice', 5, 'risk_flags', [10], 'A founder takes part in five entities or more.', 'risk_flags.mass_founder', 'mass_check_unavailable', False),
(29, 'mass_address', 'Mass address', 'Адрес массовой регистрации', 'notice', 10, 'risk_flags', [10], 'The address is a mass one.', 'risk_flags.mass_address', 'mass_check_unavailable', False),
(30, 'linked_closed', 'Linked companies closed', 'Связанные компании ликвидированы', 'notice', 5, 'risk_flags', [10], 'Three linked companies or more are liquidated or inactive, and these are half of all or more.', 'risk_flags.linked_companies.historic', '', False),
(31, 'inspection_violations', 'Inspections with violations', 'Проверки с нарушениями', 'notice', 5, 'inspections', [10], 'An inspection found violations.', 'inspections.with_violations, inspections.has_violations', '', False),
(32, 'pledges', 'Assets pledged', 'Имущество в залоге', 'info', 3, 'pledges', [10], 'There are notices of pledge, those of leasing left out.', 'pledges.pledges.source', '', False),
(33, 'leasing', 'Leased assets', 'Имущество в лизинге', 'info', 1, 'leasing', [10], 'There are leasing contracts: what is used is not owned.', 'leasing.total_contracts', '', False),
(34, 'enforcement_no_assets', 'Enforcement ended for want of assets', 'Взыскание окончено: нет имущества', 'alert', 25, 'fssp', [10, 12], 'A proceeding ended because neither debtor nor assets were found.', 'fssp.completed_no_assets, proceedings.completion_reason', '', False),
(35, 'enforcement_active', 'Active enforcement', 'Действующие исполнительные производства', 'notice', 10, 'fssp', [10, 12], 'A proceeding goes on.', 'fssp.active_proceedings, proceedings.is_active', '', False),
(36, 'enforcement_large', 'Large debt under enforcement', 'Крупный долг у приставов', 'alert', 20, 'fssp', [10, 12], 'Active proceedings are for 1 000 000 RUB or more; not known where less is told and some have no amount.', 'fssp.active_debt_rub, proceedings.sum', '', False),
(37, 'tax_debt', 'Tax debt', 'Налоговая задолженность', 'notice', 10, 'tax_debts', [10], 'The tax authority''s data set has a debt.', 'tax_debts.total_sum', '', False),
(38, 'tax_debt_large', 'Large tax debt', 'Крупная налоговая задолженность', 'alert', 20, 'tax_debts', [10], 'The debt is 500 000 RUB or more.', 'tax_debts.total_sum', '', False),
(39, 'tax_fines', 'Fines for tax offences', 'Штрафы за налоговые правонарушения', 'info', 5, 'tax_offences', [10], 'The tax authority''s data set has a fine.', 'tax_offences.total_sum', '', False),
(40, 'arbitration_respondent', 'Respondent in arbitration', 'Ответчик в арбитраже', 'info', 3, 'arbitration', [10, 12], 'It is the respondent of an arbitration case.', 'arbitration.as_respondent', '', False),
(41, 'arbitration_often_respondent', 'Often respondent in arbitration', 'Часто ответчик в арбитраже', 'notice', 10, 'arbitration', [10, 12], 'It is the respondent of five cases or more, and of half of all or more.', 'arbitration.as_respondent, total_cases', '', False),
(42, 'arbitration_claims', 'Large claims in arbitration', 'Крупные иски в арбитраже', 'notice', 15, 'arbitration', [10, 12], 'Cases of the last three years against it, without an outcome so far, claim 1 000 000 RUB or more together; not known where less is told and some claims are not.', 'arbitration.cases.claim_sum, result, date', '', False),
(43, 'arbitration_lost', 'Lost cases in arbitration', 'Проигранные дела в арбитраже', 'info', 5, 'arbitration', [10, 12], 'It lost a case as respondent.', 'arbitration.lost', '', False),
(44, 'arbitration_bankruptcy', 'Bankruptcy case in arbitration', 'Дело о банкротстве в арбитраже', 'alert', 30, 'arbitration', [10, 12], 'It is the respondent (debtor) of a bankruptcy case without an outcome so far.', 'arbitration.cases.type, role, result', '', False),
(45, 'court_respondent', 'Respondent in a general court', 'Ответчик в суде общей юрисдикции', 'info', 3, 'general_courts', [10], 'It is the respondent or debtor of a case; not known where a role is not recognised.', 'general_courts.cases.role', '', False),
(46, 'court_accused', 'Accused in a general court', 'Подсудимый в суде общей юрисдикции', 'notice', 15, 'general_courts', [10], 'It stands accused in a criminal case; not known where a role is not recognised.', 'general_courts.cases.role', '', False),
(47, 'court_administrative', 'Administrative case in a general court', 'Административное дело в суде', 'info', 3, 'general_courts', [10], 'It is called to account in an administrative case; not known where a role is not recognised.', 'general_courts.cases.role', '', False),
(48, 'loss', 'Loss in the last year', 'Убыток за последний год', 'notice', 10, 'financial', [10], 'The net profit of the latest year is negative.', 'financial.indicators: net_profit', '', False),
(49, 'loss_repeated', 'Losses two years running', 'Убытки два года подряд', 'notice', 5, 'financial', [10], 'The net profit of the latest year and of the year before is negative.', 'financial.indicators: net_profit', '', False),
(50, 'negative_equity', 'Negative equity', 'Отрицательный собственный капитал', 'alert', 20, 'financial', [10], 'The equity at the end of the latest year is negative: liabilities exceed assets.', 'financial.indicators: equity', '', False),
(51, 'revenue_fall', 'Revenue fell by 30 %', 'Выручка упала на 30 %', 'notice', 10, 'financial', [10], 'The revenue of the latest year is 70 % of that of the year before, or less.', 'financial.indicators: revenue', '', False),
(52, 'no_revenue', 'No revenue in the last year', 'Нет выручки за последний год', 'notice', 10, 'financial', [10], 'The revenue of the latest year is 0.', 'financial.indicators: revenue', '', False),
(53, 'illiquid', 'Current assets below short-term debts', 'Оборотных активов меньше краткосрочных долгов', 'info', 5, 'financial', [10], 'At the end of the latest year current assets are less than short-term liabilities.', 'financial.indicators: current_assets, short_term_liabilities', '', False),
(54, 'expense_over_income', 'Expense above income', 'Расходы больше доходов', 'info', 3, 'revexp', [10], 'By the tax authority''s data set the expense of the period exceeds its income.', 'revexp.revenue, expense', '', False),
(55, 'no_employees', 'At most one employee', 'Не больше одного работника', 'info', 3, 'employees', [10], 'The average headcount of the tax authority''s data set is 0 or 1.', 'employees.headcount', '', False)
) r (number, signal, title, title_ru, severity, weight, block, digits, condition, source, unseen, partial_shows) ON r.number = d.number
    WHERE list_contains(r.digits, CASE WHEN length(d.inn) = 10 THEN 10 ELSE 12 END)
),
signals AS (
    SELECT inn, signal, title, title_ru, severity, weight, word AS state,
           word = 'absent' OR (word = 'present' AND heard) AS confirmed,
           CASE WHEN present THEN since END AS since, CASE WHEN present THEN evidence END AS evidence, block,
           CASE WHEN word = 'never asked' OR word = 'absent' OR (word = 'present' AND heard) THEN NULL
                WHEN state IN ('found', 'clean') THEN 'the answer does not tell'
                ELSE concat_ws(': ', state, reason) END AS reason,
           checked_at,
           CASE WHEN word IN ('present', 'absent') THEN version_id END AS version_id,
           CASE WHEN word IN ('present', 'absent') THEN snapshot_id ELSE last_snapshot_id END AS snapshot_id
    FROM stated
),
weighed AS (
    SELECT inn,
           coalesce(sum(weight) FILTER (state = 'present'), 0)::INTEGER AS score,
           coalesce(sum(weight) FILTER (state = 'present' AND confirmed), 0)::INTEGER AS score_confirmed,
           coalesce(sum(weight) FILTER (state IN ('not confirmed', 'never asked')), 0)::INTEGER AS score_unknown,
           coalesce(sum(weight) FILTER (confirmed), 0)::DOUBLE AS confirmed_weight,
           sum(weight)::DOUBLE AS weight,
           count(*) FILTER (state = 'present') AS present,
           count(*) FILTER (state = 'absent') AS absent,
           count(*) FILTER (state = 'not confirmed') AS not_confirmed,
           count(*) FILTER (state = 'never asked') AS never_asked,
           coalesce(list(title ORDER BY weight DESC, signal) FILTER (state = 'present'), []) AS reasons,
           coalesce(list(title_ru ORDER BY weight DESC, signal) FILTER (state = 'present'), []) AS reasons_ru,
           coalesce(list(signal ORDER BY weight DESC, signal) FILTER (state IN ('not confirmed', 'never asked')), [])
               AS unknown_signals,
           min(checked_at) AS checked_at
    FROM signals GROUP BY inn
),
scores AS (
    SELECT inn, score, score_confirmed, score_unknown, score + score_unknown AS score_most,
           confirmed_weight / weight AS confirmed_share,
           CASE WHEN score >= 60 THEN 'critical' WHEN score >= 30 THEN 'high' WHEN score >= 10 THEN 'medium'
                WHEN 2 * confirmed_weight < weight THEN 'unknown' ELSE 'low' END AS level,
           present, absent, not_confirmed, never_asked, reasons, reasons_ru, unknown_signals, checked_at
    FROM weighed
),
members AS (
    SELECT inn, list(DISTINCT portfolio ORDER BY portfolio) AS portfolios,
           arg_max(name, last_seen_at) AS name, arg_max(extra, last_seen_at) AS extra,
           list_sort(list_distinct(flatten(list(
               list_filter(list_transform(string_split(coalesce(tags, ''), ','), lambda t: trim(t)), lambda t: t <> '')
           )))) AS tags
    FROM lineage.portfolio_members GROUP BY inn
),
blocks AS (
    SELECT inn, count(*) AS askable, count(*) FILTER (state IN ('found', 'clean', 'partial')) AS confirmed,
           count(*) FILTER (state NOT IN ('found', 'clean', 'partial', 'never asked')) AS unconfirmed,
           count(*) FILTER (state = 'never asked') AS never_asked,
           max(checked_at) AS checked_at, min(checked_at) AS oldest, min(collected_at) AS collected_at,
           max(version_id) FILTER (block = 'company') AS company_version,
           max(version_id) FILTER (block = 'employees') AS employees_version,
           max(version_id) FILTER (block = 'revexp') AS revexp_version,
           max(version_id) FILTER (block = 'financial') AS financial_version,
           max(version_id) FILTER (block = 'msp') AS msp_version,
           max(version_id) FILTER (block = 'fssp') AS fssp_version,
           max(version_id) FILTER (block = 'tax_debts') AS tax_debts_version,
           max(version_id) FILTER (block = 'tax_offences') AS tax_offences_version,
           max(version_id) FILTER (block = 'arbitration') AS arbitration_version,
           max(version_id) FILTER (block = 'general_courts') AS general_courts_version,
           max(version_id) FILTER (block = 'freezes') AS freezes_version,
           max(version_id) FILTER (block = 'sanctions') AS sanctions_version,
           max(version_id) FILTER (block = 'rnp') AS rnp_version,
           max(version_id) FILTER (block = 'bankruptcy') AS bankruptcy_version,
           max(version_id) FILTER (block = 'contracts') AS contracts_version,
           max(version_id) FILTER (block = 'pledges') AS pledges_version,
           max(version_id) FILTER (block = 'inspections') AS inspections_version,
           max(version_id) FILTER (block = 'licenses') AS licenses_version,
           max(version_id) FILTER (block = 'trademarks') AS trademarks_version
    FROM knowledge GROUP BY inn
),
headcounts AS (
    SELECT version_id, arg_max(count, year) AS card_headcount, max(year) AS card_headcount_year
    FROM core.company__employees_history GROUP BY version_id
),
years AS (
    SELECT version_id, max(year) AS year,
           arg_max(amount, year) FILTER (indicator = 'revenue') AS revenue,
           max(year) FILTER (indicator = 'revenue' AND amount IS NOT NULL) AS revenue_year,
           arg_max(amount, year) FILTER (indicator = 'net_profit') AS net_profit,
           max(year) FILTER (indicator = 'net_profit' AND amount IS NOT NULL) AS net_profit_year
    FROM core.financial__indicators GROUP BY version_id
),
claims AS (
    SELECT version_id, sum(claim_sum) AS claims, count(*) AS cases
    FROM core.arbitration__cases WHERE role = 'respondent' GROUP BY version_id
),
hits AS (
    SELECT version_id, count(*) AS hits FROM core.sanctions__hits
    WHERE coalesce(match_confidence, '') <> 'low' GROUP BY version_id
),
joined AS (
    SELECT b.*, m.portfolios, m.name AS portfolio_name, m.extra, m.tags, r.score, r.score_unknown, r.confirmed_share,
           r.level, s.revenue AS statements_revenue, s.revenue_year, s.net_profit, s.net_profit_year,
           s.year AS statements_year, i.revenue, i.expense, i.period,
           s.revenue_year IS NOT NULL AND (i.revenue IS NULL OR s.revenue_year > year(i.period)) AS by_statements
    FROM blocks b
    LEFT JOIN scores r ON r.inn = b.inn
    LEFT JOIN members m ON m.inn = b.inn
    LEFT JOIN core.revexp i ON i.version_id = b.revexp_version
    LEFT JOIN years s ON s.version_id = b.financial_version
)
SELECT j.inn, CASE length(j.inn) WHEN 10 THEN 'company' ELSE 'person' END AS kind,
       coalesce(c.name, j.portfolio_name) AS name, c.short_name, j.portfolio_name,
       coalesce(j.portfolios, []) AS portfolios, coalesce(j.tags, []) AS tags, j.extra, left(j.inn, 2) AS region,
       c.status, c.status_description, c.registration_date, c.liquidation_date,
       round(date_diff('day', c.registration_date, coalesce(c.liquidation_date, (now() AT TIME ZONE 'UTC')::DATE))
             / 365.25, 1) AS age_years,
       c.director, c.address, c.okved_main, c.okved_name, c.authorized_capital AS authorized_capital_rub,
       coalesce(small.category, c.sme_category) AS sme_category,
       coalesce(e.headcount, c.employee_count) AS headcount,
       CASE WHEN e.headcount IS NOT NULL THEN e.publish_date
            WHEN c.employee_count = h.card_headcount THEN make_date(h.card_headcount_year, 12, 31) END AS headcount_date,
       CASE WHEN j.by_statements THEN j.statements_revenue ELSE j.revenue END AS revenue_rub,
       CASE WHEN NOT j.by_statements THEN j.expense END AS expense_rub,
       CASE WHEN j.by_statements THEN make_date(j.revenue_year, 12, 31)
            WHEN j.revenue IS NOT NULL THEN j.period END AS revenue_period,
       CASE WHEN j.by_statements THEN 'financial' WHEN j.revenue IS NOT NULL THEN 'revexp' END AS revenue_source,
       CASE WHEN j.net_profit_year = j.statements_year THEN j.net_profit END AS net_profit_rub, j.statements_year,
       f.active_debt_rub, f.active_proceedings, debts.total_sum AS tax_debt_rub, fines.total_sum AS tax_fines_rub,
       a.total_cases AS cases, a.as_respondent AS cases_as_respondent,
       (CASE WHEN claims.cases IS NULL AND a.as_respondent = 0 THEN 0 ELSE claims.claims END)::DECIMAL(18, 2)
           AS claims_rub,
       courts.total_cases AS general_court_cases, frozen.count AS freezes,
       CASE WHEN j.sanctions_version IS NOT NULL THEN coalesce(hits.hits, 0) END AS sanction_hits,
       unfair.active > 0 AS rnp_active, b.status AS bankruptcy_stage, j.bankruptcy_version IS NOT NULL AS bankruptcy_known,
       b.has_intention AS bankruptcy_intention, contracted.total_contracts AS contracts,
       contracted.total_amount AS contracts_rub, pledged.total_pledges AS pledges,
       inspected.with_violations AS inspections_with_violations, licensed.total AS licenses, marked.total AS trademarks,
       j.score, j.score_unknown, j.confirmed_share, j.level,
       j.askable AS blocks_askable, j.confirmed AS blocks_confirmed, j.unconfirmed AS blocks_unconfirmed,
       j.never_asked AS blocks_never_asked, j.checked_at, j.oldest AS oldest_checked_at, j.collected_at
FROM joined j
LEFT JOIN core.company c ON c.version_id = j.company_version
LEFT JOIN headcounts h ON h.version_id = j.company_version
LEFT JOIN core.msp small ON small.version_id = j.msp_version
LEFT JOIN core.employees e ON e.version_id = j.employees_version
LEFT JOIN core.fssp f ON f.version_id = j.fssp_version
LEFT JOIN core.tax_debts debts ON debts.version_id = j.tax_debts_version
LEFT JOIN core.tax_offences fines ON fines.version_id = j.tax_offences_version
LEFT JOIN core.arbitration a ON a.version_id = j.arbitration_version
LEFT JOIN claims ON claims.version_id = j.arbitration_version
LEFT JOIN core.general_courts courts ON courts.version_id = j.general_courts_version
LEFT JOIN core.freezes frozen ON frozen.version_id = j.freezes_version
LEFT JOIN hits ON hits.version_id = j.sanctions_version
LEFT JOIN core.rnp unfair ON unfair.version_id = j.rnp_version
LEFT JOIN core.bankruptcy b ON b.version_id = j.bankruptcy_version
LEFT JOIN core.contracts contracted ON contracted.version_id = j.contracts_version
LEFT JOIN core.pledges pledged ON pledged.version_id = j.pledges_version
LEFT JOIN core.inspections inspected ON inspected.version_id = j.inspections_version
LEFT JOIN core.licenses licensed ON licensed.version_id = j.licenses_version
LEFT JOIN core.trademarks marked ON marked.version_id = j.trademarks_version
;
CREATE OR REPLACE VIEW mart."changes" AS -- What re-checks found changed, in words: one row per added or removed row and per changed cell.
-- seen_at: When the answer that showed it was asked, UTC.
-- severity: info, notice or alert.
-- inn: INN that was checked.
-- name: Name of the company or person, else the one that a portfolio gives.
-- portfolios: Portfolios that have it as a member.
-- block: Block.
-- table_name: Table.
-- row_key: Key of the row within the company; empty for the block's own row.
-- change: added, removed or changed.
-- column_name: Column that changed; NULL for a whole row.
-- old_value: What was known before.
-- new_value: What is known now.
-- meaning: What the change means, in a sentence.
-- known_until: When what was known before had last been confirmed, UTC.
-- run_id: Run that found it.
-- snapshot_id: Snapshot that showed it.
WITH members AS (
    SELECT inn, list(DISTINCT portfolio ORDER BY portfolio) AS portfolios, max_by(name, last_seen_at) AS name
    FROM lineage.portfolio_members GROUP BY inn
),
evidence AS (SELECT DISTINCT inn, block, asked_at FROM lineage.snapshots WHERE version_id IS NOT NULL)
SELECT c.seen_at, c.severity, c.inn, coalesce(n.short_name, n.name, m.name) AS name,
       coalesce(m.portfolios, []) AS portfolios, c.block, c.table_name, c.row_key, c.change, c.column_name,
       c.old_value, c.new_value, CASE WHEN c.table_name = 'company' AND c.column_name = 'status' AND c.change = 'changed' AND c.old_value IN ('active') AND c.new_value IS NOT NULL THEN 'The company is no longer active.'
WHEN c.table_name = 'company' AND c.column_name = 'status' AND c.change = 'changed' THEN 'The status changed.'
WHEN c.table_name = 'company' AND c.column_name = 'liquidation_date' AND c.change = 'changed' AND c.new_value IS NOT NULL THEN 'A date of termination was entered.'
WHEN c.table_name = 'company' AND c.column_name = 'liquidation_date' AND c.change = 'changed' THEN 'The date of termination was taken back.'
WHEN c.table_name = 'company' AND c.column_name = 'disqualified_persons' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'A disqualified person is in charge.'
WHEN c.table_name = 'company' AND c.column_name = 'sanctions' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'The company is on a sanctions list.'
WHEN c.table_name = 'company' AND c.column_name = 'sanctions_founders' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'A founder is on a sanctions list.'
WHEN c.table_name = 'company' AND c.column_name = 'unfair_supplier' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'The company is an unfair supplier.'
WHEN c.table_name = 'company' AND c.column_name = 'invalid_data' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'The register calls its data unreliable.'
WHEN c.table_name = 'company' AND c.column_name = 'invalid_address' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'The register calls the address unreliable.'
WHEN c.table_name = 'company' AND c.column_name = 'illegal_finance' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'A flag under the anti-money-laundering law.'
WHEN c.table_name = 'bankruptcy' AND c.column_name = 'has_bankruptcy' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'A bankruptcy stage was recognised.'
WHEN c.table_name = 'bankruptcy' AND c.column_name = 'has_intention' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'An intention to file for bankruptcy was published.'
WHEN c.table_name = 'bankruptcy' AND c.column_name = 'status' AND c.change = 'changed' AND c.new_value IS NOT NULL THEN 'The bankruptcy stage changed.'
WHEN c.table_name = 'bankruptcy' AND c.change = 'changed' THEN 'The bankruptcy card changed.'
WHEN c.table_name = 'bankruptcy__cases' AND c.change = 'added' THEN 'A debtor card; it alone is no bankruptcy.'
WHEN c.table_name = 'freezes' AND c.column_name = 'found' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'Accounts were suspended.'
WHEN c.table_name = 'freezes' AND c.column_name = 'found' AND c.change = 'changed' THEN 'Suspensions were lifted.'
WHEN c.table_name = 'freezes__items' AND c.change = 'added' THEN 'A decision to suspend accounts.'
WHEN c.table_name = 'freezes__items' AND c.change = 'removed' THEN 'A suspension was lifted.'
WHEN c.table_name = 'sanctions__hits' AND c.change = 'added' THEN 'A match in a sanctions list.'
WHEN c.table_name = 'sanctions__hits' THEN 'A match in a sanctions list changed.'
WHEN c.table_name = 'minjust_check__leaves' AND c.change = 'added' THEN 'A match in the register of foreign agents.'
WHEN c.table_name = 'rnp__records' AND c.change = 'added' THEN 'An entry in the unfair-supplier register.'
WHEN c.table_name = 'rnp__records' THEN 'An entry in the unfair-supplier register changed.'
WHEN c.table_name = 'fssp' AND c.column_name = 'completed_no_assets' AND c.change = 'changed' AND coalesce(try_cast(c.new_value AS DOUBLE), 0) > coalesce(try_cast(c.old_value AS DOUBLE), 0) THEN 'An enforcement ended for want of assets.'
WHEN c.table_name = 'fssp__proceedings' AND c.column_name = 'completion_reason' AND c.change = 'changed' AND c.new_value IN ('no_assets') THEN 'Ended for want of assets.'
WHEN c.table_name = 'fssp__proceedings' AND c.change = 'added' AND contains(c.new_value, '"completion_reason":"no_assets"') THEN 'An enforcement ended for want of assets.'
WHEN c.table_name = 'fssp__proceedings' AND c.change = 'added' THEN 'A new enforcement proceeding.'
WHEN c.table_name = 'fssp__proceedings' AND c.column_name = 'is_active' AND c.change = 'changed' THEN 'An enforcement proceeding ended or came back.'
WHEN c.table_name = 'risk_flags' AND c.column_name = 'disqualified_persons' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'A disqualified person is in charge.'
WHEN c.table_name = 'risk_flags__disqualified_records' AND c.change = 'added' THEN 'A disqualified person.'
WHEN c.table_name = 'risk_flags' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'A risk flag changed.'
WHEN c.table_name = 'company' AND c.column_name = 'director' AND c.change = 'changed' THEN 'The director changed.'
WHEN c.table_name = 'company__directors' THEN 'The managers changed.'
WHEN c.table_name = 'company' AND c.column_name = 'address' AND c.change = 'changed' THEN 'The address changed.'
WHEN c.table_name = 'company' AND c.column_name = 'name' AND c.change = 'changed' THEN 'The name changed.'
WHEN c.table_name = 'company__founders' THEN 'The founders changed.'
WHEN c.table_name = 'company__founder_shares' THEN 'The shares changed.'
WHEN c.table_name = 'company' AND c.column_name = 'authorized_capital' AND c.change = 'changed' THEN 'The authorized capital changed.'
WHEN c.table_name = 'company__ip_records' THEN 'A registration as sole proprietor changed.'
WHEN c.table_name = 'arbitration__cases' AND c.change = 'added' THEN 'A new arbitration case.'
WHEN c.table_name = 'arbitration__cases' AND c.column_name = 'result' AND c.change = 'changed' THEN 'A case has a result.'
WHEN c.table_name = 'general_courts__cases' AND c.change = 'added' THEN 'A new case in a general court.'
WHEN c.table_name = 'tax_debts__records' THEN 'Tax debts changed.'
WHEN c.table_name = 'tax_offences__records' AND c.change = 'added' THEN 'A tax offence.'
WHEN c.table_name = 'pledges__pledges' AND c.change = 'added' THEN 'A new pledge.'
WHEN c.table_name = 'licenses__health' AND c.change = 'removed' THEN 'A licence is gone.'
WHEN c.table_name = 'inspections__inspections' AND c.column_name = 'has_violations' AND c.change = 'changed' AND c.new_value IN ('true') THEN 'An inspection found violations.'
ELSE 'Any other change.' END AS meaning, e.asked_at AS known_until, c.run_id, c.snapshot_id
FROM lineage.changes c
LEFT JOIN current.company n ON n.inn = c.inn
LEFT JOIN members m ON m.inn = c.inn
ASOF LEFT JOIN evidence e ON e.inn = c.inn AND e.block = c.block AND c.seen_at > e.asked_at
;
CREATE OR REPLACE VIEW mart."coverage" AS -- What is known of each member of a portfolio, block by block: one row per portfolio, INN and block that can be asked.
-- portfolio: Portfolio.
-- inn: Member.
-- name: Name that the portfolio gives.
-- block: Block.
-- state: State of the latest answer: found, clean (asked, and there is nothing), partial (evidence, not all of it), unconfirmed, unavailable or missing (no evidence), failed (a call may have been charged but brought none); or 'never asked'.
-- reason: Why the latest answer is not plainly found or clean.
-- asked_at: When it was last asked, UTC.
-- method: Method that brought the latest answer.
-- known_since: When the version that is known was first found, UTC; NULL where nothing is known.
-- checked_at: When what is known was last confirmed, UTC; NULL where nothing is known.
-- collected_at: When the service had collected what is known, UTC.
-- age_days: Days since what is known was last confirmed, up to now; NULL where nothing is known.
WITH askable (block, digits) AS (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)),
last_asked AS (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.checked_at, l.collected_at FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block)
SELECT m.portfolio, m.inn, m.name, a.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at, l.method,
       v.first_seen_at AS known_since, l.checked_at, l.collected_at,
       date_diff('second', l.checked_at, (now() AT TIME ZONE 'UTC')) / 86400.0 AS age_days
FROM lineage.portfolio_members m
JOIN askable a ON a.digits = length(m.inn)
LEFT JOIN last_asked l ON l.inn = m.inn AND l.block = a.block
LEFT JOIN lineage.versions v ON v.version_id = l.version_id
;
CREATE OR REPLACE VIEW mart."cross_checks" AS -- Where two sources tell of the same thing: one row per INN and pair of sources of which at least one is known.
-- inn: INN that was checked.
-- check_name: What is compared.
-- title: The same in words, English.
-- title_ru: The same in words, Russian.
-- period: Period for which both hold: a year, or a day; NULL where it is the state of today.
-- left_source: One source, as block.field.
-- left_value: What it says; NULL where it is not known.
-- right_source: The other source.
-- right_value: What it says; NULL where it is not known.
-- difference_pct: Difference of two numbers as a share of the greater, percent; NULL for words.
-- tolerance_pct: Difference up to which they agree.
-- agrees: Whether they agree; NULL where one of them is not known.
-- checked_at: When the older of the two was last confirmed, UTC.
WITH knowledge AS (
    SELECT s.inn, b.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage._latest
          UNION SELECT inn FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id))) s
    JOIN (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)) b (block, digits) ON b.digits = length(s.inn)
    LEFT JOIN (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.checked_at, l.collected_at FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l ON l.inn = s.inn AND l.block = b.block
),
known AS (SELECT inn, block, version_id, checked_at FROM knowledge WHERE version_id IS NOT NULL),
facts (inn, source, period, amount, word, checked_at) AS (
    SELECT k.inn, 'revexp.revenue', year(t.period)::VARCHAR, t.revenue, NULL, k.checked_at
    FROM known k JOIN core.revexp t USING (version_id) WHERE k.block = 'revexp'
    UNION ALL
    SELECT k.inn, 'financial.revenue', t.year::VARCHAR, t.amount, NULL, k.checked_at
    FROM known k JOIN core.financial__indicators t USING (version_id)
    WHERE k.block = 'financial' AND t.indicator = 'revenue'
    UNION ALL
    SELECT k.inn, 'financial.lines.1310', NULL, arg_max(t.amount, t.year), NULL, k.checked_at
    FROM known k JOIN core.financial__lines t USING (version_id)
    WHERE k.block = 'financial' AND t.form = 'balance' AND t.line_code = '1310' GROUP BY k.inn, k.checked_at
    UNION ALL
    SELECT k.inn, unnest(['employees.headcount', 'employees.headcount of the year']),
           unnest([NULL, year(t.publish_date)::VARCHAR]), t.headcount, NULL, k.checked_at
    FROM known k JOIN core.employees t USING (version_id) WHERE k.block = 'employees'
    UNION ALL
    SELECT k.inn, 'company.employees_history', t.year::VARCHAR, t.count, NULL, k.checked_at
    FROM known k JOIN core.company__employees_history t USING (version_id) WHERE k.block = 'company'
    UNION ALL
    SELECT k.inn, 'company.tax_debts', NULL, sum(t.totalsum), NULL, k.checked_at
    FROM known k JOIN core.company__tax_debts t USING (version_id)
    WHERE k.block = 'company' GROUP BY k.inn, k.checked_at
    UNION ALL
    SELECT k.inn, 'tax_debts.total_sum', NULL, t.total_sum, NULL, k.checked_at
    FROM known k JOIN core.tax_debts t USING (version_id) WHERE k.block = 'tax_debts'
    UNION ALL
    SELECT k.inn, unnest(['company.employee_count', 'company.authorized_capital']), NULL,
           unnest([t.employee_count, t.authorized_capital]), NULL, k.checked_at
    FROM known k JOIN core.company t USING (version_id) WHERE k.block = 'company'
    UNION ALL
    SELECT k.inn,
           unnest(['company.status', 'company.sanctions', 'company.unfair_supplier', 'company.disqualified_persons',
                   'company.mass_director', 'company.mass_founder', 'company.mass_address', 'company.sme_category']),
           NULL, NULL,
           unnest([CASE WHEN t.status = 'bankruptcy' THEN 'yes'
                        WHEN t.status IN ('active', 'reorganizing', 'liquidating') THEN 'no' END,
                   CASE t.sanctions WHEN true THEN 'yes' WHEN false THEN 'no' END, CASE t.unfair_supplier WHEN true THEN 'yes' WHEN false THEN 'no' END, CASE t.disqualified_persons WHEN true THEN 'yes' WHEN false THEN 'no' END,
                   CASE t.mass_director WHEN true THEN 'yes' WHEN false THEN 'no' END, CASE t.mass_founder WHEN true THEN 'yes' WHEN false THEN 'no' END, CASE t.mass_address WHEN true THEN 'yes' WHEN false THEN 'no' END, t.sme_category]),
           k.checked_at
    FROM known k JOIN core.company t USING (version_id) WHERE k.block = 'company'
    UNION ALL
    SELECT k.inn,
           unnest(['risk_flags.disqualified_persons', 'risk_flags.mass_director', 'risk_flags.mass_founder',
                   'risk_flags.mass_address']), NULL, NULL,
           unnest([CASE t.disqualified_persons WHEN true THEN 'yes' WHEN false THEN 'no' END, CASE t.mass_director WHEN true THEN 'yes' WHEN false THEN 'no' END, CASE t.mass_founder WHEN true THEN 'yes' WHEN false THEN 'no' END,
                   CASE t.mass_address WHEN true THEN 'yes' WHEN false THEN 'no' END]), k.checked_at
    FROM known k JOIN core.risk_flags t USING (version_id) WHERE k.block = 'risk_flags'
    UNION ALL
    SELECT k.inn, 'risk_flags.authorized_capital', NULL, t.authorized_capital, NULL, k.checked_at
    FROM known k JOIN core.risk_flags t USING (version_id) WHERE k.block = 'risk_flags'
    UNION ALL
    SELECT k.inn, unnest(['msp.headcount', 'msp.category']), NULL, unnest([t.headcount, NULL]),
           unnest([NULL, t.category]), k.checked_at
    FROM known k JOIN core.msp t USING (version_id) WHERE k.block = 'msp'
    UNION ALL
    SELECT k.inn, 'bankruptcy.has_bankruptcy', NULL, NULL, CASE t.has_bankruptcy WHEN true THEN 'yes' WHEN false THEN 'no' END, k.checked_at
    FROM known k JOIN core.bankruptcy t USING (version_id) WHERE k.block = 'bankruptcy'
    UNION ALL
    SELECT k.inn, 'sanctions.hits', NULL, NULL, CASE count(h.hits_no) > 0 WHEN true THEN 'yes' WHEN false THEN 'no' END, k.checked_at
    FROM known k
    LEFT JOIN core.sanctions__hits h ON h.version_id = k.version_id AND coalesce(h.match_confidence, '') <> 'low'
    WHERE k.block = 'sanctions' GROUP BY k.inn, k.checked_at
    UNION ALL
    SELECT k.inn, 'rnp.active', NULL, NULL, CASE t.active > 0 WHEN true THEN 'yes' WHEN false THEN 'no' END, k.checked_at
    FROM known k JOIN core.rnp t USING (version_id) WHERE k.block = 'rnp'
    UNION ALL
    SELECT k.inn, unnest(['arbitration.total_cases', 'arbitration.cases']), NULL, unnest([t.total_cases, c.n]), NULL,
           k.checked_at
    FROM known k JOIN core.arbitration t USING (version_id)
    JOIN (SELECT t.version_id, count(c.cases_no) AS n FROM core.arbitration t
          LEFT JOIN core.arbitration__cases c USING (version_id) GROUP BY t.version_id) c USING (version_id)
    WHERE k.block = 'arbitration'
    UNION ALL
    SELECT k.inn, unnest(['fssp.total_proceedings', 'fssp.proceedings']), NULL, unnest([t.total_proceedings, c.n]), NULL,
           k.checked_at
    FROM known k JOIN core.fssp t USING (version_id)
    JOIN (SELECT t.version_id, count(c.proceedings_no) AS n FROM core.fssp t
          LEFT JOIN core.fssp__proceedings c USING (version_id) GROUP BY t.version_id) c USING (version_id)
    WHERE k.block = 'fssp'
),
checks (number, check_name, title, title_ru, left_source, right_source, tolerance_pct) AS (VALUES
    (1, 'revenue', 'Revenue: open data and statements', 'Выручка: открытые данные и отчётность',
     'revexp.revenue', 'financial.revenue', 5),
    (2, 'headcount', 'Headcount of the year: open data and card', 'Численность за год: открытые данные и карточка',
     'employees.headcount of the year', 'company.employees_history', 0),
    (3, 'headcount now', 'Headcount: open data and card', 'Численность: открытые данные и карточка',
     'employees.headcount', 'company.employee_count', 10),
    (4, 'headcount msp', 'Headcount: open data and register of small business',
     'Численность: открытые данные и реестр МСП', 'employees.headcount', 'msp.headcount', 10),
    (5, 'tax debts', 'Tax debts: open data and card', 'Налоговая задолженность: открытые данные и карточка',
     'tax_debts.total_sum', 'company.tax_debts', 5),
    (6, 'capital', 'Authorized capital: card and balance sheet', 'Уставный капитал: карточка и баланс',
     'company.authorized_capital', 'financial.lines.1310', 1),
    (7, 'capital flags', 'Authorized capital: card and risk flags', 'Уставный капитал: карточка и признаки риска',
     'company.authorized_capital', 'risk_flags.authorized_capital', 0),
    (8, 'status', 'Bankruptcy: status of the card and bankruptcy register', 'Банкротство: статус карточки и реестр',
     'company.status', 'bankruptcy.has_bankruptcy', 0),
    (9, 'sanctions', 'Sanctions: card and lists', 'Санкции: карточка и списки',
     'company.sanctions', 'sanctions.hits', 0),
    (10, 'unfair supplier', 'Unfair supplier: card and register', 'Недобросовестный поставщик: карточка и реестр',
     'company.unfair_supplier', 'rnp.active', 0),
    (11, 'disqualified persons', 'Disqualified persons: card and risk flags',
     'Дисквалифицированные лица: карточка и признаки риска',
     'company.disqualified_persons', 'risk_flags.disqualified_persons', 0),
    (12, 'mass director', 'Mass director: card and risk flags', 'Массовый руководитель: карточка и признаки риска',
     'company.mass_director', 'risk_flags.mass_director', 0),
    (13, 'mass founder', 'Mass founder: card and risk flags', 'Массовый учредитель: карточка и признаки риска',
     'company.mass_founder', 'risk_flags.mass_founder', 0),
    (14, 'mass address', 'Mass address: card and risk flags', 'Массовый адрес: карточка и признаки риска',
     'company.mass_address', 'risk_flags.mass_address', 0),
    (15, 'size', 'Small-business category: card and register', 'Категория МСП: карточка и реестр',
     'company.sme_category', 'msp.category', 0),
    (16, 'case count', 'Arbitration cases: counter and list', 'Арбитражные дела: счётчик и список',
     'arbitration.total_cases', 'arbitration.cases', 0),
    (17, 'proceeding count', 'Enforcement proceedings: counter and list', 'Производства: счётчик и список',
     'fssp.total_proceedings', 'fssp.proceedings', 0)
),
told AS MATERIALIZED (
    SELECT *, coalesce(CASE WHEN amount = trunc(amount) THEN trunc(amount)::BIGINT::VARCHAR ELSE amount::VARCHAR END,
                       word) AS value
    FROM facts WHERE amount IS NOT NULL OR word IS NOT NULL
),
lefts AS (SELECT c.*, f.* FROM checks c JOIN told f ON f.source = c.left_source),
rights AS (SELECT c.*, f.* FROM checks c JOIN told f ON f.source = c.right_source),
pairs AS (
    SELECT l.* EXCLUDE (value, amount, source, word, checked_at), l.value AS left_value, r.value AS right_value,
           l.amount AS left_amount, r.amount AS right_amount,
           CASE WHEN r.inn IS NULL THEN l.checked_at ELSE least(l.checked_at, r.checked_at) END AS checked_at
    FROM lefts l LEFT JOIN rights r
         ON r.number = l.number AND r.inn = l.inn AND coalesce(r.period, '') = coalesce(l.period, '')
    UNION ALL BY NAME
    SELECT r.* EXCLUDE (value, amount, source, word), NULL AS left_value, r.value AS right_value,
           NULL AS left_amount, r.amount AS right_amount
    FROM rights r ANTI JOIN lefts l ON l.number = r.number AND l.inn = r.inn
    QUALIFY row_number() OVER (PARTITION BY r.number, r.inn ORDER BY r.period DESC NULLS LAST) = 1
)
SELECT inn, check_name, title, title_ru, period, left_source, left_value, right_source, right_value,
       CASE WHEN left_amount IS NOT NULL AND right_amount IS NOT NULL
            THEN coalesce(round(abs(left_amount - right_amount)::DOUBLE
                 / nullif(greatest(abs(left_amount), abs(right_amount)), 0)::DOUBLE * 100, 2), 0.0) END AS difference_pct,
       tolerance_pct,
       CASE WHEN left_value IS NULL OR right_value IS NULL THEN NULL
            WHEN left_amount IS NOT NULL AND right_amount IS NOT NULL
            THEN abs(left_amount - right_amount) * 100
                 <= tolerance_pct * greatest(abs(left_amount), abs(right_amount))
            ELSE lower(left_value) = lower(right_value) END AS agrees,
       checked_at
FROM pairs
;
CREATE OR REPLACE VIEW mart."enforcement" AS -- Enforcement proceedings: one row per INN and proceeding.
-- inn: INN that was checked.
-- proceeding: Number of the proceeding with its day of initiation.
-- opened_on: Day of initiation; NULL where the number has no date.
-- subject: What is enforced, with its amount.
-- amount_rub: Debt of this proceeding; NULL where none is told, claims for an act included.
-- active: Whether it goes on.
-- end_reason: Reason of the end as the source words it.
-- completion_reason: Reason of the end, normalised: paid, no_assets, returned, expired, other.
-- no_assets: Whether it ended because neither debtor nor assets were found.
-- document_type: Kind of document that is enforced.
-- case_number: Number of that document or case.
-- court_name: Body that issued it.
-- debtor_name: Debtor as named at initiation.
-- department: Department of bailiffs.
-- bailiff: Bailiff; often not given.
-- bailiff_phone: Phone of the bailiff.
-- version_id: Version that holds it.
-- checked_at: When it was last asked and found so, UTC.
-- confirmed: Whether the latest answer of the block supports it: false where only an earlier one does.
WITH knowledge AS (
    SELECT s.inn, b.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage._latest
          UNION SELECT inn FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id))) s
    JOIN (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)) b (block, digits) ON b.digits = length(s.inn)
    LEFT JOIN (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.checked_at, l.collected_at FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l ON l.inn = s.inn AND l.block = b.block
)
SELECT k.inn, p.exe_production AS proceeding, p.process_date AS opened_on,
       coalesce(p.subject_matter, p.subject) AS subject, p.sum AS amount_rub, p.is_active AS active, p.end_reason,
       p.completion_reason,
       CASE WHEN p.completion_reason = 'no_assets' THEN true
            WHEN p.completion_reason IS NOT NULL OR p.is_active THEN false END AS no_assets,
       p.document_type, p.case_number, p.court_name, p.debtor_name, p.department, p.bailiff, p.bailiff_phone,
       k.version_id, k.checked_at, k.state IN ('found', 'clean', 'partial') AS confirmed
FROM knowledge k JOIN core.fssp__proceedings p ON p.version_id = k.version_id
WHERE k.block = 'fssp'
;
CREATE OR REPLACE VIEW mart."financials" AS -- Financial statements in columns, with ratios: one row per INN and year. A ratio is NULL where a part is not known or the divisor is 0.
-- inn: INN that was checked.
-- year: Year of the statements.
-- revenue_rub: Revenue, line 2110.
-- cost_rub: Cost of sales, line 2120, as the statements write it.
-- gross_profit_rub: Gross profit, line 2100.
-- operating_profit_rub: Profit from sales, line 2200.
-- profit_before_tax_rub: Profit before tax, line 2300.
-- net_profit_rub: Net profit, line 2400; negative is a loss.
-- assets_rub: Total assets, line 1600.
-- current_assets_rub: Current assets, line 1200.
-- non_current_assets_rub: Non-current assets, line 1100.
-- inventories_rub: Inventories, line 1210.
-- receivables_rub: Receivables, line 1230.
-- cash_rub: Cash at the end of the year, line 1250 of the balance, else line 4500 of the cash-flow report.
-- equity_rub: Equity, line 1300; negative where liabilities exceed assets.
-- long_term_liabilities_rub: Long-term liabilities, line 1400.
-- short_term_liabilities_rub: Short-term liabilities, line 1500.
-- payables_rub: Payables, line 1520.
-- operating_cash_flow_rub: Net cash from operations, line 4100.
-- taxes_paid_rub: Paid in taxes, line 4124.
-- wages_paid_rub: Paid in wages, line 4122.
-- net_margin: Net profit over revenue.
-- operating_margin: Profit from sales over revenue.
-- return_on_assets: Net profit over total assets.
-- return_on_equity: Net profit over equity; NULL where equity is not positive.
-- current_ratio: Current assets over short-term liabilities.
-- autonomy: Equity over total assets.
-- debt_to_equity: Long-term and short-term liabilities over equity; NULL where equity is not positive.
-- revenue_growth: Revenue against that of the year before, less 1; NULL where one of them is not known.
-- tax_burden_pct: Taxes paid as a share of revenue, percent, as the service computes it.
-- source: Where the figures are from: statements.
-- version_id: Version that holds them.
-- checked_at: When they were last asked and found so, UTC.
-- confirmed: Whether the latest answer of the block supports them.
WITH knowledge AS (
    SELECT s.inn, b.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage._latest
          UNION SELECT inn FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id))) s
    JOIN (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)) b (block, digits) ON b.digits = length(s.inn)
    LEFT JOIN (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.checked_at, l.collected_at FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l ON l.inn = s.inn AND l.block = b.block
),
known AS (
    SELECT inn, version_id, checked_at, state IN ('found', 'clean', 'partial') AS confirmed
    FROM knowledge WHERE block = 'financial' AND version_id IS NOT NULL
),
indicators AS (
    SELECT i.version_id, i.year,
           max(i.amount) FILTER (i.indicator = 'accounts_payable') AS accounts_payable,
           max(i.amount) FILTER (i.indicator = 'accounts_receivable') AS accounts_receivable,
           max(i.amount) FILTER (i.indicator = 'cash_balance_end') AS cash_balance_end,
           max(i.amount) FILTER (i.indicator = 'cash_flow_operations') AS cash_flow_operations,
           max(i.amount) FILTER (i.indicator = 'cash_pay_tax') AS cash_pay_tax,
           max(i.amount) FILTER (i.indicator = 'cash_pay_wages') AS cash_pay_wages,
           max(i.amount) FILTER (i.indicator = 'current_assets') AS current_assets,
           max(i.amount) FILTER (i.indicator = 'equity') AS equity,
           max(i.amount) FILTER (i.indicator = 'gross_profit') AS gross_profit,
           max(i.amount) FILTER (i.indicator = 'long_term_liabilities') AS long_term_liabilities,
           max(i.amount) FILTER (i.indicator = 'net_profit') AS net_profit,
           max(i.amount) FILTER (i.indicator = 'non_current_assets') AS non_current_assets,
           max(i.amount) FILTER (i.indicator = 'operating_profit') AS operating_profit,
           max(i.amount) FILTER (i.indicator = 'profit_before_tax') AS profit_before_tax,
           max(i.amount) FILTER (i.indicator = 'revenue') AS revenue,
           max(i.amount) FILTER (i.indicator = 'short_term_liabilities') AS short_term_liabilities,
           max(i.amount) FILTER (i.indicator = 'total_assets') AS total_assets
    FROM core.financial__indicators i SEMI JOIN known USING (version_id) GROUP BY i.version_id, i.year
),
lines AS (
    SELECT l.version_id, l.year,
           max(l.amount) FILTER (l.form = 'income' AND l.line_code = '2120') AS cost_rub,
           max(l.amount) FILTER (l.form = 'balance' AND l.line_code = '1210') AS inventories_rub,
           max(l.amount) FILTER (l.form = 'balance' AND l.line_code = '1250') AS cash_rub
    FROM core.financial__lines l SEMI JOIN known USING (version_id) GROUP BY l.version_id, l.year
),
years AS (SELECT version_id, year FROM indicators UNION SELECT version_id, year FROM lines),
figures AS (
    SELECT k.inn, y.year,
           i.revenue AS revenue_rub, l.cost_rub, i.gross_profit AS gross_profit_rub,
           i.operating_profit AS operating_profit_rub, i.profit_before_tax AS profit_before_tax_rub,
           i.net_profit AS net_profit_rub, i.total_assets AS assets_rub,
           i.current_assets AS current_assets_rub, i.non_current_assets AS non_current_assets_rub,
           l.inventories_rub, i.accounts_receivable AS receivables_rub,
           coalesce(l.cash_rub, i.cash_balance_end) AS cash_rub, i.equity AS equity_rub,
           i.long_term_liabilities AS long_term_liabilities_rub,
           i.short_term_liabilities AS short_term_liabilities_rub, i.accounts_payable AS payables_rub,
           i.cash_flow_operations AS operating_cash_flow_rub, i.cash_pay_tax AS taxes_paid_rub,
           i.cash_pay_wages AS wages_paid_rub, b.value AS tax_burden_pct,
           k.version_id, k.checked_at, k.confirmed
    FROM years y JOIN known k USING (version_id)
    LEFT JOIN indicators i USING (version_id, year)
    LEFT JOIN lines l USING (version_id, year)
    LEFT JOIN core.financial__tax_burden_pct b USING (version_id, year)
)
SELECT f.inn, f.year, f.revenue_rub, f.cost_rub, f.gross_profit_rub, f.operating_profit_rub, f.profit_before_tax_rub,
       f.net_profit_rub, f.assets_rub, f.current_assets_rub, f.non_current_assets_rub, f.inventories_rub,
       f.receivables_rub, f.cash_rub, f.equity_rub, f.long_term_liabilities_rub, f.short_term_liabilities_rub,
       f.payables_rub, f.operating_cash_flow_rub, f.taxes_paid_rub, f.wages_paid_rub,
       f.net_profit_rub::DOUBLE / nullif(f.revenue_rub, 0)::DOUBLE AS net_margin,
       f.operating_profit_rub::DOUBLE / nullif(f.revenue_rub, 0)::DOUBLE AS operating_margin,
       f.net_profit_rub::DOUBLE / nullif(f.assets_rub, 0)::DOUBLE AS return_on_assets,
       CASE WHEN f.equity_rub > 0 THEN f.net_profit_rub::DOUBLE / f.equity_rub::DOUBLE END AS return_on_equity,
       f.current_assets_rub::DOUBLE / nullif(f.short_term_liabilities_rub, 0)::DOUBLE AS current_ratio,
       f.equity_rub::DOUBLE / nullif(f.assets_rub, 0)::DOUBLE AS autonomy,
       CASE WHEN f.equity_rub > 0 THEN (f.long_term_liabilities_rub + f.short_term_liabilities_rub)::DOUBLE
            / f.equity_rub::DOUBLE END AS debt_to_equity,
       f.revenue_rub::DOUBLE / nullif(p.revenue_rub, 0)::DOUBLE - 1 AS revenue_growth,
       f.tax_burden_pct, 'statements' AS source, f.version_id, f.checked_at, f.confirmed
FROM figures f LEFT JOIN figures p ON p.inn = f.inn AND p.year = f.year - 1
;
CREATE OR REPLACE VIEW mart."links" AS -- Who is connected with whom, and by what: one row per unordered pair of INNs, kind of connection and what joins them.
-- inn: One end: an INN that the warehouse knows; the smaller one where it knows both.
-- other_inn: The other end: known to the warehouse, or named by an answer about the first.
-- kind: director, founder, beneficiary, linked company, founded company, address, phone or email.
-- via: What they share, or how one stands to the other, in words.
-- via_inn: INN of the person or company through whom they are joined; NULL where there is none.
-- name: Name of the first.
-- other_name: Name of the other.
-- other_is_member: Whether the other end is a member of a portfolio.
-- shared: Whether both share a third thing (true), or one names the other (false).
-- matched_by: What makes it sure: inn, name (a whole name, where the register withholds an INN: perhaps a namesake) or value.
-- block: Block that tells it.
-- version_id: Version of the first that tells it; where the other end names the first, that of the other.
-- other_version_id: Version of the other end; NULL where only one of them tells it.
-- checked_at: When the older of the two was last confirmed, UTC.
WITH knowledge AS (
    SELECT s.inn, b.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage._latest
          UNION SELECT inn FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id))) s
    JOIN (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)) b (block, digits) ON b.digits = length(s.inn)
    LEFT JOIN (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.checked_at, l.collected_at FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l ON l.inn = s.inn AND l.block = b.block
),
known AS (SELECT inn, block, version_id, checked_at FROM knowledge WHERE version_id IS NOT NULL),
names AS (
    SELECT s.inn, coalesce(c.short_name, c.name, m.name) AS name, m.inn IS NOT NULL AS is_member
    FROM (SELECT DISTINCT inn FROM knowledge) s
    LEFT JOIN (SELECT k.inn, t.short_name, t.name FROM known k JOIN core.company t USING (version_id)
               WHERE k.block = 'company') c USING (inn)
    LEFT JOIN (SELECT inn, max_by(name, last_seen_at) AS name FROM lineage.portfolio_members GROUP BY inn) m USING (inn)
),
named AS (
    SELECT version_id, 'director' AS kind, item_inn, name FROM core.company__directors
    UNION ALL SELECT version_id, 'founder', item_inn, name FROM core.company__founders
    UNION ALL SELECT version_id, 'founder', item_inn, name FROM core.company__founder_shares
    UNION ALL SELECT version_id, 'founder', item_inn, name FROM core.risk_flags__founder_shares
    UNION ALL SELECT version_id, 'beneficiary', item_inn, name FROM core.company__beneficiaries
),
persons AS (
    SELECT k.inn, k.block, k.version_id, k.checked_at, n.item_inn,
           any_value(n.name) AS name, list(DISTINCT n.kind) AS kinds,
           CASE WHEN regexp_full_match(upper(trim(n.name)), '[А-ЯЁ-]+( +[А-ЯЁ-]+){2,3}')
                THEN regexp_replace(replace(upper(trim(n.name)), 'Ё', 'Е'), ' +', ' ', 'g') END AS name_key
    FROM known k JOIN named n USING (version_id)
    WHERE n.item_inn IS NOT NULL OR n.name IS NOT NULL
    GROUP BY k.inn, k.block, k.version_id, k.checked_at, n.item_inn, name_key
),
written AS (
    SELECT version_id, 'address' AS kind, address AS value FROM core.company
    UNION ALL SELECT version_id, 'phone', phone FROM core.company
    UNION ALL SELECT version_id, 'phone', value FROM core.company__phones
    UNION ALL SELECT version_id, 'email', email FROM core.company
    UNION ALL SELECT version_id, 'email', value FROM core.company__emails
    UNION ALL SELECT version_id, 'phone', value FROM core.contacts__leaves
              WHERE type = 'string' AND regexp_matches(path, '(?i)phone') AND NOT regexp_matches(path, '(?i)source|seen')
    UNION ALL SELECT version_id, 'email', value FROM core.contacts__leaves
              WHERE type = 'string' AND contains(value, '@')
),
keyed AS (
    SELECT k.inn, k.block, k.version_id, k.checked_at, w.kind, w.value,
           CASE w.kind
               WHEN 'phone' THEN regexp_extract(regexp_replace(w.value, '[^0-9]', '', 'g'), '^(?:7|8)?(\d{10})$', 1)
               WHEN 'email' THEN lower(trim(w.value))
               ELSE trim(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(' ' || trim(regexp_replace(regexp_replace(replace(lower(trim(w.value)), 'ё', 'е'), '^[0-9]{6}[ ,]*', ''), '[^0-9a-zа-я/-]+', ' ', 'g')) || ' ', ' город ', ' г '), ' гор ', ' г '), ' улица ', ' ул '), ' проспект ', ' пр-кт '), ' просп ', ' пр-кт '), ' пр-т ', ' пр-кт '), ' переулок ', ' пер '), ' площадь ', ' пл '), ' шоссе ', ' ш '), ' набережная ', ' наб '), ' бульвар ', ' б-р '), ' бул ', ' б-р '), ' область ', ' обл '), ' район ', ' р-н '), ' дом ', ' д '), ' корпус ', ' к '), ' корп ', ' к '), ' строение ', ' стр '), ' квартира ', ' кв '), ' офис ', ' оф '), ' помещение ', ' помещ '), ' пом ', ' помещ '), ' комната ', ' ком '), ' этаж ', ' эт '), ' литера ', ' лит '))
           END AS key
    FROM known k JOIN written w USING (version_id) WHERE w.value IS NOT NULL
),
values_found AS (
    SELECT inn, kind, key, any_value(value) AS value, arg_max(block, checked_at) AS block,
           arg_max(version_id, checked_at) AS version_id, max(checked_at) AS checked_at
    FROM keyed
    WHERE CASE kind WHEN 'phone' THEN length(key) = 10 AND NOT regexp_matches(key, '^(\d)?(0{9}|1{9}|9{9})$')
                    WHEN 'email' THEN regexp_full_match(key, '[^@\s]+@[^@\s]+\.[^@\s]+')
                    ELSE length(key) >= 10 AND regexp_matches(key, '\d') END
    GROUP BY inn, kind, key
),
telling AS (
    SELECT kind, key FROM values_found GROUP BY kind, key HAVING count(*) BETWEEN 2 AND 25
),
namesakes AS (
    SELECT name_key FROM persons WHERE name_key IS NOT NULL
    GROUP BY name_key HAVING count(DISTINCT inn) BETWEEN 2 AND 25 AND count(*) FILTER (item_inn IS NULL) > 0
),
well_connected AS (
    SELECT item_inn FROM persons WHERE item_inn IS NOT NULL GROUP BY item_inn HAVING count(DISTINCT inn) >= 2
),
met AS (
    SELECT p.inn, q.inn AS other_inn, p.item_inn AS via_inn, p.name AS via, p.kinds, q.kinds AS other_kinds,
           'inn' AS matched_by, p.block, p.version_id, q.version_id AS other_version_id,
           least(p.checked_at, q.checked_at) AS checked_at
    FROM persons p JOIN persons q ON q.item_inn = p.item_inn AND p.inn < q.inn
    SEMI JOIN well_connected w ON w.item_inn = p.item_inn
    UNION ALL
    SELECT p.inn, q.inn, coalesce(p.item_inn, q.item_inn), p.name, p.kinds, q.kinds, 'name', p.block, p.version_id,
           q.version_id, least(p.checked_at, q.checked_at)
    FROM persons p JOIN persons q ON q.name_key = p.name_key AND p.inn < q.inn
    SEMI JOIN namesakes n ON n.name_key = p.name_key
    WHERE p.item_inn IS NULL OR q.item_inn IS NULL
),
edges AS (
    SELECT inn, other_inn, unnest(CASE
               WHEN list_has_any(kinds, other_kinds) THEN list_intersect(kinds, other_kinds)
               WHEN list_contains(kinds || other_kinds, 'director') THEN ['director']
               ELSE ['founder'] END) AS kind,
           concat(via, ': ', array_to_string(list_sort(kinds), ' and '), ' of ', inn, ', ',
                  array_to_string(list_sort(other_kinds), ' and '), ' of ', other_inn) AS via,
           via_inn, NULL AS other_name, true AS shared, matched_by, block, version_id, other_version_id, checked_at
    FROM met
    UNION ALL
    SELECT p.inn, q.inn, p.kind, p.value, NULL, NULL, true, 'value', p.block, p.version_id, q.version_id,
           least(p.checked_at, q.checked_at)
    FROM values_found p JOIN values_found q ON q.kind = p.kind AND q.key = p.key AND p.inn < q.inn
    SEMI JOIN telling t ON t.kind = p.kind AND t.key = p.key
    UNION ALL
    SELECT inn, item_inn, unnest(kinds), concat(name, ' is ', array_to_string(list_sort(kinds), ' and '), ' of ', inn),
           NULL, name, false, 'inn', block, version_id, NULL, checked_at
    FROM persons WHERE item_inn <> inn
    UNION ALL
    SELECT k.inn, l.item_inn, 'linked company', concat_ws(': ', l.via_name, l.role), l.via_inn, l.name, false, 'inn',
           k.block, k.version_id, NULL, k.checked_at
    FROM known k JOIN core.risk_flags__linked_companies l USING (version_id)
    WHERE k.block = 'risk_flags' AND l.item_inn <> k.inn
    UNION ALL
    SELECT k.inn, f.item_inn, 'founded company', concat(k.inn, ': ', f.role), NULL, f.name, false, 'inn', k.block,
           k.version_id, NULL, k.checked_at
    FROM known k JOIN core.founded_companies__items f USING (version_id)
    WHERE k.block = 'founded_companies' AND f.item_inn <> k.inn
),
turned AS (
    SELECT CASE WHEN swapped THEN e.other_inn ELSE e.inn END AS inn,
           CASE WHEN swapped THEN e.inn ELSE e.other_inn END AS other_inn,
           e.kind, e.via, e.via_inn, e.shared, e.matched_by, e.block, e.checked_at,
           CASE WHEN swapped THEN NULL ELSE e.other_name END AS other_name,
           CASE WHEN swapped THEN e.other_version_id ELSE e.version_id END AS version_id,
           CASE WHEN swapped THEN e.version_id ELSE e.other_version_id END AS other_version_id
    FROM (SELECT e.*, o.inn IS NOT NULL AND e.other_inn < e.inn AS swapped
          FROM edges e LEFT JOIN names o ON o.inn = e.other_inn) e
),
merged AS (
    SELECT inn, other_inn, kind, array_to_string(list_sort(list_distinct(list(via))), '; ') AS via, via_inn, any_value(other_name) AS other_name, shared, matched_by,
           min(block) AS block, max(version_id) AS version_id, max(other_version_id) AS other_version_id,
           min(checked_at) AS checked_at
    FROM turned GROUP BY inn, other_inn, kind, via_inn, shared, matched_by, CASE WHEN via_inn IS NULL THEN via END
)
SELECT m.inn, m.other_inn, m.kind, m.via, m.via_inn, a.name, coalesce(b.name, m.other_name) AS other_name,
       coalesce(b.is_member, false) AS other_is_member, m.shared, m.matched_by, m.block, m.version_id, m.other_version_id,
       m.checked_at
FROM merged m LEFT JOIN names a ON a.inn = m.inn LEFT JOIN names b ON b.inn = m.other_inn
;
CREATE OR REPLACE VIEW mart."litigation" AS -- Court cases, of arbitration courts and of general ones: one row per INN and case.
-- inn: INN that was checked.
-- court_kind: arbitration or general.
-- case_number: Number of the case, unique within its court.
-- filed_on: Day of filing.
-- role: Role of the INN: plaintiff, respondent, third, else as the court words it; NULL where not recognised.
-- category: Kind of case, as the source words it.
-- court: Court.
-- claim_rub: Sum claimed; NULL where none was found.
-- result: Outcome for the INN (arbitration), or as the court words it (general).
-- result_on: Day of the outcome; arbitration does not tell it.
-- open: Whether it goes on; NULL where the source does not tell: an arbitration case without a recognised outcome may have ended.
-- other_parties: Names of the other side, of all sides for a third party; NULL where none is named.
-- url: Link to the case's card.
-- version_id: Version that holds it.
-- checked_at: When it was last asked and found so, UTC.
-- confirmed: Whether the latest answer of the block supports it: false where only an earlier one does.
WITH knowledge AS (
    SELECT s.inn, b.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage._latest
          UNION SELECT inn FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id))) s
    JOIN (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)) b (block, digits) ON b.digits = length(s.inn)
    LEFT JOIN (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.checked_at, l.collected_at FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l ON l.inn = s.inn AND l.block = b.block
),
known AS (
    SELECT inn, block, version_id, checked_at, state IN ('found', 'clean', 'partial') AS confirmed
    FROM knowledge WHERE block IN ('arbitration', 'general_courts') AND version_id IS NOT NULL
),
parties AS (
    SELECT version_id, cases_no, 'plaintiff' AS side, name FROM core.arbitration__cases__plaintiffs
    UNION ALL SELECT version_id, cases_no, 'respondent', name FROM core.arbitration__cases__respondents
    UNION ALL SELECT version_id, cases_no, 'plaintiff', name FROM core.general_courts__cases__plaintiffs
    UNION ALL SELECT version_id, cases_no, 'respondent', name FROM core.general_courts__cases__respondents
    UNION ALL SELECT version_id, cases_no, 'respondent', name FROM core.general_courts__cases__attracted_parties
),
sides AS (
    SELECT version_id, cases_no,
           array_to_string(list_sort(list_distinct(list(name) FILTER (side = 'plaintiff'))), '; ') AS plaintiffs,
           array_to_string(list_sort(list_distinct(list(name) FILTER (side = 'respondent'))), '; ') AS respondents
    FROM parties SEMI JOIN known USING (version_id) WHERE name IS NOT NULL GROUP BY version_id, cases_no
),
cases AS (
    SELECT 'arbitration' AS court_kind, version_id, cases_no, case_number, date AS filed_on, role, type AS category,
           regexp_replace(court, '\s+', ' ', 'g') AS court, claim_sum AS claim_rub, result, NULL::DATE AS result_on,
           CASE WHEN result IS NOT NULL THEN false END AS open, url
    FROM core.arbitration__cases
    UNION ALL
    SELECT 'general', version_id, cases_no, case_number, date,
           CASE role WHEN 'истец' THEN 'plaintiff' WHEN 'ответчик' THEN 'respondent'
                     WHEN 'третье лицо' THEN 'third' ELSE role END,
           coalesce(category_detailed, category), court, claim_sum, result, coalesce(result_date, decision_date),
           CASE WHEN coalesce(result_date, decision_date) IS NOT NULL OR result IS NOT NULL THEN false
                WHEN NOT coalesce(_from_store, false) THEN true END, url
    FROM core.general_courts__cases
)
SELECT k.inn, c.court_kind, c.case_number, c.filed_on, c.role, c.category, c.court, c.claim_rub, c.result, c.result_on,
       c.open,
       CASE WHEN c.role = 'plaintiff' THEN s.respondents
            WHEN c.role IN ('respondent', 'должник', 'подсудимый', 'привлекаемое лицо') THEN s.plaintiffs
            ELSE nullif(concat_ws('; ', s.plaintiffs, s.respondents), '') END AS other_parties,
       c.url, k.version_id, k.checked_at, k.confirmed
FROM known k JOIN cases c ON c.version_id = k.version_id
     AND c.court_kind = CASE k.block WHEN 'arbitration' THEN 'arbitration' ELSE 'general' END
LEFT JOIN sides s ON s.version_id = c.version_id AND s.cases_no = c.cases_no
;
CREATE OR REPLACE VIEW mart."spend" AS -- What was paid and what it brought: one row per run, method and block.
-- run_id: Run.
-- started_at: When the run started, UTC.
-- portfolio: Portfolio that it checked.
-- profile: Profile that it used.
-- method: Method that was called.
-- block: Block that the answer brought; NULL where the call brought none.
-- calls: Calls that brought it, the free ones too.
-- charged_rub: What they were charged. A call's price is split evenly over the blocks that its answer brought, to the kopeck, so that the blocks of a run add up to its charge.
-- unknown_rub: What calls of unknown outcome may have been charged, split in the same way.
-- snapshots: Answers about the block.
-- new_versions: Of those, the ones that brought something not known before.
-- changes: Changes that they showed.
-- rub_per_change: charged_rub over changes; NULL without changes.
WITH answers AS (
    SELECT r.call_id, s.block, s.snapshot_id, s.state, s.version_id, s.inn, s.asked_at
    FROM lineage.snapshots s JOIN lineage.responses r USING (response_id)
),
pieces AS (
    SELECT call_id, block, count(*) AS snapshots,
           count(*) FILTER (first_seen_at = asked_at) AS new_versions,
           sum(coalesce(n, 0)) AS changes
    FROM answers
    LEFT JOIN (SELECT version_id, first_seen_at FROM lineage.versions) USING (version_id)
    LEFT JOIN (SELECT snapshot_id, count(*) AS n FROM lineage.changes GROUP BY snapshot_id) USING (snapshot_id)
    WHERE state NOT IN ('missing', 'failed')
    GROUP BY call_id, block
),
shares AS (
    SELECT c.run_id, c.method, p.block, p.snapshots, p.new_versions, p.changes,
           (coalesce(c.charged_rub, 0) * 100)::BIGINT AS charged,
           CASE WHEN c.state = 'unknown' THEN (coalesce(c.expected_rub, 0) * 100)::BIGINT ELSE 0 END AS unknown,
           count(*) OVER (PARTITION BY c.call_id) AS parts,
           row_number() OVER (PARTITION BY c.call_id ORDER BY p.block) AS part
    FROM lineage.calls c LEFT JOIN pieces p USING (call_id)
    WHERE c.state <> 'released'
),
sums AS (
    SELECT run_id, method, block, count(*) AS calls,
           (sum(charged // parts + (part <= charged % parts)::INTEGER)::DECIMAL(18, 0) * 0.01)::DECIMAL(18, 2)
               AS charged_rub,
           (sum(unknown // parts + (part <= unknown % parts)::INTEGER)::DECIMAL(18, 0) * 0.01)::DECIMAL(18, 2)
               AS unknown_rub,
           coalesce(sum(snapshots), 0)::BIGINT AS snapshots, coalesce(sum(new_versions), 0)::BIGINT AS new_versions,
           coalesce(sum(changes), 0)::BIGINT AS changes
    FROM shares GROUP BY run_id, method, block
)
SELECT s.run_id, r.started_at, r.portfolio, r.profile, s.method, s.block, s.calls, s.charged_rub, s.unknown_rub,
       s.snapshots, s.new_versions, s.changes,
       (s.charged_rub / nullif(s.changes, 0))::DECIMAL(18, 2) AS rub_per_change
FROM sums s LEFT JOIN lineage.runs r USING (run_id)
;
CREATE OR REPLACE VIEW mart."state_contracts" AS -- State contracts: one row per INN and contract.
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
WITH knowledge AS (
    SELECT s.inn, b.block, coalesce(l.state, 'never asked') AS state, l.reason, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage._latest
          UNION SELECT inn FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id))) s
    JOIN (VALUES ('company', 10), ('fssp', 10), ('arbitration', 10), ('bankruptcy', 10), ('contracts', 10), ('financial', 10), ('pledges', 10), ('inspections', 10), ('risk_flags', 10), ('rnp', 10), ('sanctions', 10), ('licenses', 10), ('freezes', 10), ('general_courts', 10), ('timeline', 10), ('tax_debts', 10), ('tax_offences', 10), ('employees', 10), ('revexp', 10), ('msp', 10), ('leasing', 10), ('trademarks', 10), ('founded_companies', 10), ('minjust_check', 10), ('contacts', 10), ('company', 12), ('fssp', 12), ('arbitration', 12), ('bankruptcy', 12), ('msp', 12)) b (block, digits) ON b.digits = length(s.inn)
    LEFT JOIN (SELECT l.inn, l.block, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.asked_at ELSE l.asked_at END AS asked_at, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.state ELSE l.state END AS state, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.reason ELSE l.reason END AS reason, CASE WHEN f.call.asked_at > l.asked_at THEN f.call.method ELSE l.method END AS method, CASE WHEN f.call.asked_at > l.asked_at THEN NULL ELSE l.snapshot_id END AS snapshot_id, l.version_id, l.evidence_id, l.checked_at, l.collected_at FROM lineage."_latest" l LEFT JOIN (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ON f.inn = l.inn AND f.block = l.block UNION ALL BY NAME SELECT f.inn, f.block, f.call.asked_at AS asked_at, f.call.state AS state, f.call.reason AS reason, f.call.method AS method FROM (SELECT inn, block, max({'asked_at': asked_at, 'reason': reason, 'method': method, 'state': state}) AS call FROM (SELECT c.inn, b.block, c.method, c.reserved_at AS asked_at, 'failed' AS state, coalesce(c.reason, 'unknown') AS reason, '' AS snapshot_id FROM lineage.calls c JOIN (VALUES ('full-check', 'company'), ('full-check', 'fssp'), ('full-check', 'arbitration'), ('full-check', 'bankruptcy'), ('full-check', 'contracts'), ('full-check', 'financial'), ('full-check', 'pledges'), ('full-check', 'inspections'), ('full-check', 'risk_flags'), ('full-check', 'rnp'), ('full-check', 'sanctions'), ('full-check', 'licenses'), ('full-check', 'freezes'), ('full-check', 'general_courts'), ('full-check', 'timeline'), ('full-check', 'tax_debts'), ('full-check', 'tax_offences'), ('full-check', 'employees'), ('full-check', 'revexp'), ('full-check', 'msp'), ('full-check', 'leasing'), ('full-check', 'trademarks'), ('full-check', 'founded_companies'), ('full-check', 'minjust_check'), ('brief', 'company'), ('timeline', 'timeline'), ('arbitration', 'arbitration'), ('fssp', 'fssp'), ('general-courts', 'general_courts'), ('bankruptcy', 'bankruptcy'), ('freezes', 'freezes'), ('financial', 'financial'), ('contracts', 'contracts'), ('tax-debts', 'tax_debts'), ('tax-offences', 'tax_offences'), ('employees', 'employees'), ('revexp', 'revexp'), ('risk-flags', 'risk_flags'), ('sanctions', 'sanctions'), ('inspections', 'inspections'), ('rnp', 'rnp'), ('msp', 'msp'), ('pledges', 'pledges'), ('licenses', 'licenses'), ('trademarks', 'trademarks'), ('contacts', 'contacts'), ('person-brief', 'company'), ('person-arbitration', 'arbitration'), ('person-fssp', 'fssp'), ('person-bankruptcy', 'bankruptcy')) b (method, block) ON b.method = c.method WHERE c.state = 'unknown' AND NOT EXISTS (FROM lineage.responses r WHERE r.call_id = c.call_id)) GROUP BY inn, block) f ANTI JOIN lineage."_latest" l ON l.inn = f.inn AND l.block = f.block) l ON l.inn = s.inn AND l.block = b.block
)
SELECT k.inn, c.reg_num, c.law, c.role, c.sign_date AS signed_on, c.amount AS amount_rub, c.paid_sum AS paid_rub,
       c.contract_stage AS stage, c.subject,
       CASE c.role WHEN 'supplier' THEN c.customer_inn WHEN 'customer' THEN c.supplier_inn END AS counterparty_inn,
       CASE c.role WHEN 'supplier' THEN c.customer_name WHEN 'customer' THEN c.supplier_name END AS counterparty_name,
       c.okpd2_code, c.okpd2_name, c.url, k.version_id, k.checked_at,
       k.state IN ('found', 'clean', 'partial') AS confirmed
FROM knowledge k JOIN core.contracts__contracts c ON c.version_id = k.version_id
WHERE k.block = 'contracts'
;
COMMENT ON VIEW mart."risk_rules" IS 'The rules that risk_signals is made of: one row per signal, grouped by block.';
COMMENT ON COLUMN mart."risk_rules"."signal" IS 'Name of the signal.';
COMMENT ON COLUMN mart."risk_rules"."title" IS 'Signal in words, English.';
COMMENT ON COLUMN mart."risk_rules"."title_ru" IS 'Signal in words, Russian.';
COMMENT ON COLUMN mart."risk_rules"."condition" IS 'When it is present.';
COMMENT ON COLUMN mart."risk_rules"."severity" IS 'info, notice or alert.';
COMMENT ON COLUMN mart."risk_rules"."weight" IS 'What it adds to the score when present: 60 alone is critical, 30 high, 10 medium.';
COMMENT ON COLUMN mart."risk_rules"."block" IS 'Block whose latest answer decides.';
COMMENT ON COLUMN mart."risk_rules"."source" IS 'Fields that it reads, as block.field.';
COMMENT ON COLUMN mart."risk_rules"."companies" IS 'Whether it is asked of companies (INN of 10 digits).';
COMMENT ON COLUMN mart."risk_rules"."persons" IS 'Whether it is asked of persons and sole proprietors (INN of 12 digits).';
COMMENT ON COLUMN mart."risk_rules"."unseen" IS 'Reason of a partial answer that did not look at this; NULL where there is none.';
COMMENT ON COLUMN mart."risk_rules"."partial_shows" IS 'Whether a partial answer of the block always shows it; else what was known before may stand in it.';
COMMENT ON COLUMN mart."risk_rules"."number" IS 'Place in the table.';
COMMENT ON VIEW mart."risk_signals" IS 'What is known of each signal: one row per INN and signal that can be asked of its kind of INN.';
COMMENT ON COLUMN mart."risk_signals"."inn" IS 'INN of a portfolio''s member, or that was ever asked.';
COMMENT ON COLUMN mart."risk_signals"."signal" IS 'Signal of mart.risk_rules.';
COMMENT ON COLUMN mart."risk_signals"."title" IS 'Signal in words, English.';
COMMENT ON COLUMN mart."risk_signals"."title_ru" IS 'Signal in words, Russian.';
COMMENT ON COLUMN mart."risk_signals"."severity" IS 'info, notice or alert.';
COMMENT ON COLUMN mart."risk_signals"."weight" IS 'What it adds to the score when present.';
COMMENT ON COLUMN mart."risk_signals"."state" IS 'present, absent, ''not confirmed'' or ''never asked''.';
COMMENT ON COLUMN mart."risk_signals"."confirmed" IS 'Whether the latest answer of its block supports the state; false for what only an earlier answer says, and for what a partial answer may have left as it was.';
COMMENT ON COLUMN mart."risk_signals"."since" IS 'When it began by the facts, else when it was first seen without a break since, UTC; NULL unless present.';
COMMENT ON COLUMN mart."risk_signals"."evidence" IS 'What shows it, in short words; NULL unless present.';
COMMENT ON COLUMN mart."risk_signals"."block" IS 'Block that decides.';
COMMENT ON COLUMN mart."risk_signals"."reason" IS 'Why it is not confirmed; NULL where it is.';
COMMENT ON COLUMN mart."risk_signals"."checked_at" IS 'When what is known of the block was last asked and found so, UTC; NULL where nothing is known.';
COMMENT ON COLUMN mart."risk_signals"."age_days" IS 'Days since then, up to now; NULL where nothing is known.';
COMMENT ON COLUMN mart."risk_signals"."version_id" IS 'Version that shows it present or absent.';
COMMENT ON COLUMN mart."risk_signals"."snapshot_id" IS 'Answer that says so; the latest answer where it is not confirmed; NULL without one.';
COMMENT ON VIEW mart."risk_score" IS 'How risky a counterparty is by the documented weights, and how much of that is known: one row per INN.';
COMMENT ON COLUMN mart."risk_score"."inn" IS 'INN of a portfolio''s member, or that was ever asked.';
COMMENT ON COLUMN mart."risk_score"."score" IS 'Weights of the signals that are present, together.';
COMMENT ON COLUMN mart."risk_score"."score_confirmed" IS 'Of those, the ones that the latest answers support.';
COMMENT ON COLUMN mart."risk_score"."score_unknown" IS 'Weights of the signals that are not confirmed or were never asked, together.';
COMMENT ON COLUMN mart."risk_score"."score_most" IS 'The score if all of those were present.';
COMMENT ON COLUMN mart."risk_score"."confirmed_share" IS 'Weight of the signals that are confirmed, present or absent, over the weight of all; 0 to 1.';
COMMENT ON COLUMN mart."risk_score"."level" IS 'critical from a score of 60, high from 30, medium from 10, low below; unknown instead of low where less than half of the weight is confirmed.';
COMMENT ON COLUMN mart."risk_score"."present" IS 'Signals present.';
COMMENT ON COLUMN mart."risk_score"."absent" IS 'Signals confirmed absent.';
COMMENT ON COLUMN mart."risk_score"."not_confirmed" IS 'Signals asked without an answer that tells.';
COMMENT ON COLUMN mart."risk_score"."never_asked" IS 'Signals whose block was never asked.';
COMMENT ON COLUMN mart."risk_score"."reasons" IS 'Titles of the signals present, the heaviest first.';
COMMENT ON COLUMN mart."risk_score"."reasons_ru" IS 'The same in Russian.';
COMMENT ON COLUMN mart."risk_score"."unknown_signals" IS 'Signals not confirmed or never asked, the heaviest first.';
COMMENT ON COLUMN mart."risk_score"."checked_at" IS 'When the oldest of what is known was last confirmed, UTC; NULL where nothing is known.';
COMMENT ON VIEW mart."company_profile" IS 'One counterparty in one row: who it is, how big, what weighs against it, and how much of that is known. A figure is NULL where its block is not known, never 0.';
COMMENT ON COLUMN mart."company_profile"."inn" IS 'INN of a portfolio''s member, or that was ever asked.';
COMMENT ON COLUMN mart."company_profile"."kind" IS 'company (10 digits) or person (12 digits).';
COMMENT ON COLUMN mart."company_profile"."name" IS 'Full name by the card, else the name that the latest portfolio gives.';
COMMENT ON COLUMN mart."company_profile"."short_name" IS 'Short name by the card.';
COMMENT ON COLUMN mart."company_profile"."portfolio_name" IS 'Name that the portfolio which saw it last gives.';
COMMENT ON COLUMN mart."company_profile"."portfolios" IS 'Portfolios that have it as a member.';
COMMENT ON COLUMN mart."company_profile"."tags" IS 'Tags of all its portfolios.';
COMMENT ON COLUMN mart."company_profile"."extra" IS 'The own columns of the portfolio''s file that saw it last.';
COMMENT ON COLUMN mart."company_profile"."region" IS 'Region: the first two digits of the INN.';
COMMENT ON COLUMN mart."company_profile"."status" IS 'Status by the card.';
COMMENT ON COLUMN mart."company_profile"."status_description" IS 'Status as the source words it.';
COMMENT ON COLUMN mart."company_profile"."registration_date" IS 'Day of registration.';
COMMENT ON COLUMN mart."company_profile"."liquidation_date" IS 'Day of termination.';
COMMENT ON COLUMN mart."company_profile"."age_years" IS 'Years from registration to today, or to the termination.';
COMMENT ON COLUMN mart."company_profile"."director" IS 'Person who acts without power of attorney.';
COMMENT ON COLUMN mart."company_profile"."address" IS 'Registered address.';
COMMENT ON COLUMN mart."company_profile"."okved_main" IS 'Code of the main activity.';
COMMENT ON COLUMN mart."company_profile"."okved_name" IS 'Name of the main activity.';
COMMENT ON COLUMN mart."company_profile"."authorized_capital_rub" IS 'Authorized capital.';
COMMENT ON COLUMN mart."company_profile"."sme_category" IS 'Category in the register of small business, else by the card.';
COMMENT ON COLUMN mart."company_profile"."headcount" IS 'Average headcount of the tax authority''s data set, else by the card.';
COMMENT ON COLUMN mart."company_profile"."headcount_date" IS 'Day for which it holds.';
COMMENT ON COLUMN mart."company_profile"."revenue_rub" IS 'Revenue by the tax authority''s data set or by the statements, whichever is later.';
COMMENT ON COLUMN mart."company_profile"."expense_rub" IS 'Expense by the tax authority''s data set, where the revenue is from there.';
COMMENT ON COLUMN mart."company_profile"."revenue_period" IS 'Last day of the period of the revenue.';
COMMENT ON COLUMN mart."company_profile"."revenue_source" IS 'Block that the revenue is from: revexp or financial.';
COMMENT ON COLUMN mart."company_profile"."net_profit_rub" IS 'Net profit of the latest year of the statements.';
COMMENT ON COLUMN mart."company_profile"."statements_year" IS 'Latest year of the statements.';
COMMENT ON COLUMN mart."company_profile"."active_debt_rub" IS 'Debt over the active enforcement proceedings; one without an amount adds nothing (see mart.enforcement).';
COMMENT ON COLUMN mart."company_profile"."active_proceedings" IS 'Active enforcement proceedings.';
COMMENT ON COLUMN mart."company_profile"."tax_debt_rub" IS 'Tax debt.';
COMMENT ON COLUMN mart."company_profile"."tax_fines_rub" IS 'Fines for tax offences.';
COMMENT ON COLUMN mart."company_profile"."cases" IS 'Arbitration cases.';
COMMENT ON COLUMN mart."company_profile"."cases_as_respondent" IS 'Arbitration cases as respondent.';
COMMENT ON COLUMN mart."company_profile"."claims_rub" IS 'Known claims of the arbitration cases as respondent, together; NULL where there are such cases and no claim is known.';
COMMENT ON COLUMN mart."company_profile"."general_court_cases" IS 'Cases in general courts.';
COMMENT ON COLUMN mart."company_profile"."freezes" IS 'Decisions in force to suspend accounts; 30 says at least so many.';
COMMENT ON COLUMN mart."company_profile"."sanction_hits" IS 'Matches in sanctions lists, those of low confidence left out.';
COMMENT ON COLUMN mart."company_profile"."rnp_active" IS 'Whether an entry in the register of unfair suppliers is in force.';
COMMENT ON COLUMN mart."company_profile"."bankruptcy_stage" IS 'Heaviest stage of bankruptcy; NULL where there is none or it is not known (see bankruptcy_known).';
COMMENT ON COLUMN mart."company_profile"."bankruptcy_known" IS 'Whether bankruptcy was ever answered.';
COMMENT ON COLUMN mart."company_profile"."bankruptcy_intention" IS 'Whether a notice of the intention to go to court is published.';
COMMENT ON COLUMN mart."company_profile"."contracts" IS 'State contracts; 5000 says at least so many.';
COMMENT ON COLUMN mart."company_profile"."contracts_rub" IS 'Prices of the state contracts.';
COMMENT ON COLUMN mart."company_profile"."pledges" IS 'Notices of pledge and leasing.';
COMMENT ON COLUMN mart."company_profile"."inspections_with_violations" IS 'Inspections with violations.';
COMMENT ON COLUMN mart."company_profile"."licenses" IS 'Licences.';
COMMENT ON COLUMN mart."company_profile"."trademarks" IS 'Trademarks, found by name.';
COMMENT ON COLUMN mart."company_profile"."score" IS 'Score of mart.risk_score.';
COMMENT ON COLUMN mart."company_profile"."score_unknown" IS 'Weight of what is not known for the score.';
COMMENT ON COLUMN mart."company_profile"."confirmed_share" IS 'Share of the weight that is confirmed.';
COMMENT ON COLUMN mart."company_profile"."level" IS 'Level of mart.risk_score.';
COMMENT ON COLUMN mart."company_profile"."blocks_askable" IS 'Blocks that can be asked.';
COMMENT ON COLUMN mart."company_profile"."blocks_confirmed" IS 'Blocks whose latest answer is found, clean or partial.';
COMMENT ON COLUMN mart."company_profile"."blocks_unconfirmed" IS 'Blocks that were asked and whose latest answer is no evidence.';
COMMENT ON COLUMN mart."company_profile"."blocks_never_asked" IS 'Blocks never asked.';
COMMENT ON COLUMN mart."company_profile"."checked_at" IS 'When the newest of what is known was last confirmed, UTC; NULL where nothing is known.';
COMMENT ON COLUMN mart."company_profile"."oldest_checked_at" IS 'When the oldest of what is known was last confirmed, UTC.';
COMMENT ON COLUMN mart."company_profile"."collected_at" IS 'When the service had collected the oldest of what is known, UTC.';
COMMENT ON VIEW mart."changes" IS 'What re-checks found changed, in words: one row per added or removed row and per changed cell.';
COMMENT ON COLUMN mart."changes"."seen_at" IS 'When the answer that showed it was asked, UTC.';
COMMENT ON COLUMN mart."changes"."severity" IS 'info, notice or alert.';
COMMENT ON COLUMN mart."changes"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN mart."changes"."name" IS 'Name of the company or person, else the one that a portfolio gives.';
COMMENT ON COLUMN mart."changes"."portfolios" IS 'Portfolios that have it as a member.';
COMMENT ON COLUMN mart."changes"."block" IS 'Block.';
COMMENT ON COLUMN mart."changes"."table_name" IS 'Table.';
COMMENT ON COLUMN mart."changes"."row_key" IS 'Key of the row within the company; empty for the block''s own row.';
COMMENT ON COLUMN mart."changes"."change" IS 'added, removed or changed.';
COMMENT ON COLUMN mart."changes"."column_name" IS 'Column that changed; NULL for a whole row.';
COMMENT ON COLUMN mart."changes"."old_value" IS 'What was known before.';
COMMENT ON COLUMN mart."changes"."new_value" IS 'What is known now.';
COMMENT ON COLUMN mart."changes"."meaning" IS 'What the change means, in a sentence.';
COMMENT ON COLUMN mart."changes"."known_until" IS 'When what was known before had last been confirmed, UTC.';
COMMENT ON COLUMN mart."changes"."run_id" IS 'Run that found it.';
COMMENT ON COLUMN mart."changes"."snapshot_id" IS 'Snapshot that showed it.';
COMMENT ON VIEW mart."coverage" IS 'What is known of each member of a portfolio, block by block: one row per portfolio, INN and block that can be asked.';
COMMENT ON COLUMN mart."coverage"."portfolio" IS 'Portfolio.';
COMMENT ON COLUMN mart."coverage"."inn" IS 'Member.';
COMMENT ON COLUMN mart."coverage"."name" IS 'Name that the portfolio gives.';
COMMENT ON COLUMN mart."coverage"."block" IS 'Block.';
COMMENT ON COLUMN mart."coverage"."state" IS 'State of the latest answer: found, clean (asked, and there is nothing), partial (evidence, not all of it), unconfirmed, unavailable or missing (no evidence), failed (a call may have been charged but brought none); or ''never asked''.';
COMMENT ON COLUMN mart."coverage"."reason" IS 'Why the latest answer is not plainly found or clean.';
COMMENT ON COLUMN mart."coverage"."asked_at" IS 'When it was last asked, UTC.';
COMMENT ON COLUMN mart."coverage"."method" IS 'Method that brought the latest answer.';
COMMENT ON COLUMN mart."coverage"."known_since" IS 'When the version that is known was first found, UTC; NULL where nothing is known.';
COMMENT ON COLUMN mart."coverage"."checked_at" IS 'When what is known was last confirmed, UTC; NULL where nothing is known.';
COMMENT ON COLUMN mart."coverage"."collected_at" IS 'When the service had collected what is known, UTC.';
COMMENT ON COLUMN mart."coverage"."age_days" IS 'Days since what is known was last confirmed, up to now; NULL where nothing is known.';
COMMENT ON VIEW mart."cross_checks" IS 'Where two sources tell of the same thing: one row per INN and pair of sources of which at least one is known.';
COMMENT ON COLUMN mart."cross_checks"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN mart."cross_checks"."check_name" IS 'What is compared.';
COMMENT ON COLUMN mart."cross_checks"."title" IS 'The same in words, English.';
COMMENT ON COLUMN mart."cross_checks"."title_ru" IS 'The same in words, Russian.';
COMMENT ON COLUMN mart."cross_checks"."period" IS 'Period for which both hold: a year, or a day; NULL where it is the state of today.';
COMMENT ON COLUMN mart."cross_checks"."left_source" IS 'One source, as block.field.';
COMMENT ON COLUMN mart."cross_checks"."left_value" IS 'What it says; NULL where it is not known.';
COMMENT ON COLUMN mart."cross_checks"."right_source" IS 'The other source.';
COMMENT ON COLUMN mart."cross_checks"."right_value" IS 'What it says; NULL where it is not known.';
COMMENT ON COLUMN mart."cross_checks"."difference_pct" IS 'Difference of two numbers as a share of the greater, percent; NULL for words.';
COMMENT ON COLUMN mart."cross_checks"."tolerance_pct" IS 'Difference up to which they agree.';
COMMENT ON COLUMN mart."cross_checks"."agrees" IS 'Whether they agree; NULL where one of them is not known.';
COMMENT ON COLUMN mart."cross_checks"."checked_at" IS 'When the older of the two was last confirmed, UTC.';
COMMENT ON VIEW mart."enforcement" IS 'Enforcement proceedings: one row per INN and proceeding.';
COMMENT ON COLUMN mart."enforcement"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN mart."enforcement"."proceeding" IS 'Number of the proceeding with its day of initiation.';
COMMENT ON COLUMN mart."enforcement"."opened_on" IS 'Day of initiation; NULL where the number has no date.';
COMMENT ON COLUMN mart."enforcement"."subject" IS 'What is enforced, with its amount.';
COMMENT ON COLUMN mart."enforcement"."amount_rub" IS 'Debt of this proceeding; NULL where none is told, claims for an act included.';
COMMENT ON COLUMN mart."enforcement"."active" IS 'Whether it goes on.';
COMMENT ON COLUMN mart."enforcement"."end_reason" IS 'Reason of the end as the source words it.';
COMMENT ON COLUMN mart."enforcement"."completion_reason" IS 'Reason of the end, normalised: paid, no_assets, returned, expired, other.';
COMMENT ON COLUMN mart."enforcement"."no_assets" IS 'Whether it ended because neither debtor nor assets were found.';
COMMENT ON COLUMN mart."enforcement"."document_type" IS 'Kind of document that is enforced.';
COMMENT ON COLUMN mart."enforcement"."case_number" IS 'Number of that document or case.';
COMMENT ON COLUMN mart."enforcement"."court_name" IS 'Body that issued it.';
COMMENT ON COLUMN mart."enforcement"."debtor_name" IS 'Debtor as named at initiation.';
COMMENT ON COLUMN mart."enforcement"."department" IS 'Department of bailiffs.';
COMMENT ON COLUMN mart."enforcement"."bailiff" IS 'Bailiff; often not given.';
COMMENT ON COLUMN mart."enforcement"."bailiff_phone" IS 'Phone of the bailiff.';
COMMENT ON COLUMN mart."enforcement"."version_id" IS 'Version that holds it.';
COMMENT ON COLUMN mart."enforcement"."checked_at" IS 'When it was last asked and found so, UTC.';
COMMENT ON COLUMN mart."enforcement"."confirmed" IS 'Whether the latest answer of the block supports it: false where only an earlier one does.';
COMMENT ON VIEW mart."financials" IS 'Financial statements in columns, with ratios: one row per INN and year. A ratio is NULL where a part is not known or the divisor is 0.';
COMMENT ON COLUMN mart."financials"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN mart."financials"."year" IS 'Year of the statements.';
COMMENT ON COLUMN mart."financials"."revenue_rub" IS 'Revenue, line 2110.';
COMMENT ON COLUMN mart."financials"."cost_rub" IS 'Cost of sales, line 2120, as the statements write it.';
COMMENT ON COLUMN mart."financials"."gross_profit_rub" IS 'Gross profit, line 2100.';
COMMENT ON COLUMN mart."financials"."operating_profit_rub" IS 'Profit from sales, line 2200.';
COMMENT ON COLUMN mart."financials"."profit_before_tax_rub" IS 'Profit before tax, line 2300.';
COMMENT ON COLUMN mart."financials"."net_profit_rub" IS 'Net profit, line 2400; negative is a loss.';
COMMENT ON COLUMN mart."financials"."assets_rub" IS 'Total assets, line 1600.';
COMMENT ON COLUMN mart."financials"."current_assets_rub" IS 'Current assets, line 1200.';
COMMENT ON COLUMN mart."financials"."non_current_assets_rub" IS 'Non-current assets, line 1100.';
COMMENT ON COLUMN mart."financials"."inventories_rub" IS 'Inventories, line 1210.';
COMMENT ON COLUMN mart."financials"."receivables_rub" IS 'Receivables, line 1230.';
COMMENT ON COLUMN mart."financials"."cash_rub" IS 'Cash at the end of the year, line 1250 of the balance, else line 4500 of the cash-flow report.';
COMMENT ON COLUMN mart."financials"."equity_rub" IS 'Equity, line 1300; negative where liabilities exceed assets.';
COMMENT ON COLUMN mart."financials"."long_term_liabilities_rub" IS 'Long-term liabilities, line 1400.';
COMMENT ON COLUMN mart."financials"."short_term_liabilities_rub" IS 'Short-term liabilities, line 1500.';
COMMENT ON COLUMN mart."financials"."payables_rub" IS 'Payables, line 1520.';
COMMENT ON COLUMN mart."financials"."operating_cash_flow_rub" IS 'Net cash from operations, line 4100.';
COMMENT ON COLUMN mart."financials"."taxes_paid_rub" IS 'Paid in taxes, line 4124.';
COMMENT ON COLUMN mart."financials"."wages_paid_rub" IS 'Paid in wages, line 4122.';
COMMENT ON COLUMN mart."financials"."net_margin" IS 'Net profit over revenue.';
COMMENT ON COLUMN mart."financials"."operating_margin" IS 'Profit from sales over revenue.';
COMMENT ON COLUMN mart."financials"."return_on_assets" IS 'Net profit over total assets.';
COMMENT ON COLUMN mart."financials"."return_on_equity" IS 'Net profit over equity; NULL where equity is not positive.';
COMMENT ON COLUMN mart."financials"."current_ratio" IS 'Current assets over short-term liabilities.';
COMMENT ON COLUMN mart."financials"."autonomy" IS 'Equity over total assets.';
COMMENT ON COLUMN mart."financials"."debt_to_equity" IS 'Long-term and short-term liabilities over equity; NULL where equity is not positive.';
COMMENT ON COLUMN mart."financials"."revenue_growth" IS 'Revenue against that of the year before, less 1; NULL where one of them is not known.';
COMMENT ON COLUMN mart."financials"."tax_burden_pct" IS 'Taxes paid as a share of revenue, percent, as the service computes it.';
COMMENT ON COLUMN mart."financials"."source" IS 'Where the figures are from: statements.';
COMMENT ON COLUMN mart."financials"."version_id" IS 'Version that holds them.';
COMMENT ON COLUMN mart."financials"."checked_at" IS 'When they were last asked and found so, UTC.';
COMMENT ON COLUMN mart."financials"."confirmed" IS 'Whether the latest answer of the block supports them.';
COMMENT ON VIEW mart."links" IS 'Who is connected with whom, and by what: one row per unordered pair of INNs, kind of connection and what joins them.';
COMMENT ON COLUMN mart."links"."inn" IS 'One end: an INN that the warehouse knows; the smaller one where it knows both.';
COMMENT ON COLUMN mart."links"."other_inn" IS 'The other end: known to the warehouse, or named by an answer about the first.';
COMMENT ON COLUMN mart."links"."kind" IS 'director, founder, beneficiary, linked company, founded company, address, phone or email.';
COMMENT ON COLUMN mart."links"."via" IS 'What they share, or how one stands to the other, in words.';
COMMENT ON COLUMN mart."links"."via_inn" IS 'INN of the person or company through whom they are joined; NULL where there is none.';
COMMENT ON COLUMN mart."links"."name" IS 'Name of the first.';
COMMENT ON COLUMN mart."links"."other_name" IS 'Name of the other.';
COMMENT ON COLUMN mart."links"."other_is_member" IS 'Whether the other end is a member of a portfolio.';
COMMENT ON COLUMN mart."links"."shared" IS 'Whether both share a third thing (true), or one names the other (false).';
COMMENT ON COLUMN mart."links"."matched_by" IS 'What makes it sure: inn, name (a whole name, where the register withholds an INN: perhaps a namesake) or value.';
COMMENT ON COLUMN mart."links"."block" IS 'Block that tells it.';
COMMENT ON COLUMN mart."links"."version_id" IS 'Version of the first that tells it; where the other end names the first, that of the other.';
COMMENT ON COLUMN mart."links"."other_version_id" IS 'Version of the other end; NULL where only one of them tells it.';
COMMENT ON COLUMN mart."links"."checked_at" IS 'When the older of the two was last confirmed, UTC.';
COMMENT ON VIEW mart."litigation" IS 'Court cases, of arbitration courts and of general ones: one row per INN and case.';
COMMENT ON COLUMN mart."litigation"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN mart."litigation"."court_kind" IS 'arbitration or general.';
COMMENT ON COLUMN mart."litigation"."case_number" IS 'Number of the case, unique within its court.';
COMMENT ON COLUMN mart."litigation"."filed_on" IS 'Day of filing.';
COMMENT ON COLUMN mart."litigation"."role" IS 'Role of the INN: plaintiff, respondent, third, else as the court words it; NULL where not recognised.';
COMMENT ON COLUMN mart."litigation"."category" IS 'Kind of case, as the source words it.';
COMMENT ON COLUMN mart."litigation"."court" IS 'Court.';
COMMENT ON COLUMN mart."litigation"."claim_rub" IS 'Sum claimed; NULL where none was found.';
COMMENT ON COLUMN mart."litigation"."result" IS 'Outcome for the INN (arbitration), or as the court words it (general).';
COMMENT ON COLUMN mart."litigation"."result_on" IS 'Day of the outcome; arbitration does not tell it.';
COMMENT ON COLUMN mart."litigation"."open" IS 'Whether it goes on; NULL where the source does not tell: an arbitration case without a recognised outcome may have ended.';
COMMENT ON COLUMN mart."litigation"."other_parties" IS 'Names of the other side, of all sides for a third party; NULL where none is named.';
COMMENT ON COLUMN mart."litigation"."url" IS 'Link to the case''s card.';
COMMENT ON COLUMN mart."litigation"."version_id" IS 'Version that holds it.';
COMMENT ON COLUMN mart."litigation"."checked_at" IS 'When it was last asked and found so, UTC.';
COMMENT ON COLUMN mart."litigation"."confirmed" IS 'Whether the latest answer of the block supports it: false where only an earlier one does.';
COMMENT ON VIEW mart."spend" IS 'What was paid and what it brought: one row per run, method and block.';
COMMENT ON COLUMN mart."spend"."run_id" IS 'Run.';
COMMENT ON COLUMN mart."spend"."started_at" IS 'When the run started, UTC.';
COMMENT ON COLUMN mart."spend"."portfolio" IS 'Portfolio that it checked.';
COMMENT ON COLUMN mart."spend"."profile" IS 'Profile that it used.';
COMMENT ON COLUMN mart."spend"."method" IS 'Method that was called.';
COMMENT ON COLUMN mart."spend"."block" IS 'Block that the answer brought; NULL where the call brought none.';
COMMENT ON COLUMN mart."spend"."calls" IS 'Calls that brought it, the free ones too.';
COMMENT ON COLUMN mart."spend"."charged_rub" IS 'What they were charged. A call''s price is split evenly over the blocks that its answer brought, to the kopeck, so that the blocks of a run add up to its charge.';
COMMENT ON COLUMN mart."spend"."unknown_rub" IS 'What calls of unknown outcome may have been charged, split in the same way.';
COMMENT ON COLUMN mart."spend"."snapshots" IS 'Answers about the block.';
COMMENT ON COLUMN mart."spend"."new_versions" IS 'Of those, the ones that brought something not known before.';
COMMENT ON COLUMN mart."spend"."changes" IS 'Changes that they showed.';
COMMENT ON COLUMN mart."spend"."rub_per_change" IS 'charged_rub over changes; NULL without changes.';
COMMENT ON VIEW mart."state_contracts" IS 'State contracts: one row per INN and contract.';
COMMENT ON COLUMN mart."state_contracts"."inn" IS 'INN that was checked.';
COMMENT ON COLUMN mart."state_contracts"."reg_num" IS 'Number in the register of contracts.';
COMMENT ON COLUMN mart."state_contracts"."law" IS 'Law of the purchase.';
COMMENT ON COLUMN mart."state_contracts"."role" IS 'Role of the INN: supplier or customer.';
COMMENT ON COLUMN mart."state_contracts"."signed_on" IS 'Day of signing.';
COMMENT ON COLUMN mart."state_contracts"."amount_rub" IS 'Price.';
COMMENT ON COLUMN mart."state_contracts"."paid_rub" IS 'Payment planned for the current year, as the register names it, not what was paid; rarely given.';
COMMENT ON COLUMN mart."state_contracts"."stage" IS 'Stage, a code of the register; practically never given.';
COMMENT ON COLUMN mart."state_contracts"."subject" IS 'Subject.';
COMMENT ON COLUMN mart."state_contracts"."counterparty_inn" IS 'INN of the other side.';
COMMENT ON COLUMN mart."state_contracts"."counterparty_name" IS 'Name of the other side.';
COMMENT ON COLUMN mart."state_contracts"."okpd2_code" IS 'Product classifier code of the dearest position.';
COMMENT ON COLUMN mart."state_contracts"."okpd2_name" IS 'Name of that code.';
COMMENT ON COLUMN mart."state_contracts"."url" IS 'Link to the contract''s card.';
COMMENT ON COLUMN mart."state_contracts"."version_id" IS 'Version that holds it.';
COMMENT ON COLUMN mart."state_contracts"."checked_at" IS 'When it was last asked and found so, UTC.';
COMMENT ON COLUMN mart."state_contracts"."confirmed" IS 'Whether the latest answer of the block supports it: false where only an earlier one does.';
