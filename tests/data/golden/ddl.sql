CREATE SCHEMA IF NOT EXISTS core;

CREATE SCHEMA IF NOT EXISTS current;

CREATE SCHEMA IF NOT EXISTS as_of;

CREATE SCHEMA IF NOT EXISTS lineage;

CREATE SCHEMA IF NOT EXISTS mart;

CREATE SCHEMA IF NOT EXISTS portfolio;

CREATE SCHEMA IF NOT EXISTS raw;

CREATE TABLE IF NOT EXISTS core."company" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "ogrn" VARCHAR,
    "kpp" VARCHAR,
    "name" VARCHAR,
    "short_name" VARCHAR,
    "status" VARCHAR,
    "status_description" VARCHAR,
    "status_name" VARCHAR,
    "registration_date" DATE,
    "liquidation_date" DATE,
    "liquidation_date_given" BOOLEAN,
    "termination_reason" VARCHAR,
    "termination_kind" VARCHAR,
    "address" VARCHAR,
    "director" VARCHAR,
    "connections_graph" JSON,
    "authorized_capital" DECIMAL(18,2),
    "okved_main" VARCHAR,
    "okved_name" VARCHAR,
    "employee_count" BIGINT,
    "avg_salary" DECIMAL(18,2),
    "tax_regime" VARCHAR,
    "sme_category" VARCHAR,
    "invalid_data" BOOLEAN,
    "edo" VARCHAR,
    "illegal_finance" BOOLEAN,
    "mass_director" BOOLEAN,
    "mass_founder" BOOLEAN,
    "unfair_supplier" BOOLEAN,
    "disqualified_persons" BOOLEAN,
    "sanctions" BOOLEAN,
    "sanctions_founders" BOOLEAN,
    "mass_address" BOOLEAN,
    "invalid_address" BOOLEAN,
    "phone" VARCHAR,
    "email" VARCHAR,
    "website" VARCHAR,
    "vk_url" VARCHAR,
    "ok_url" VARCHAR,
    "tg_url" VARCHAR,
    "ig_url" VARCHAR,
    "birth_date" DATE,
    "okpo" VARCHAR,
    "oktmo" VARCHAR,
    "okato" VARCHAR,
    "okopf" VARCHAR,
    "okogu" VARCHAR,
    "okfs" VARCHAR,
    "pfr_number" VARCHAR,
    "fss_number" VARCHAR);

CREATE TABLE IF NOT EXISTS core."company__ip_records" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "ip_records_no" INTEGER,
    "ogrnip" VARCHAR,
    "name" VARCHAR,
    "registration_date" DATE,
    "termination_date" DATE,
    "active" BOOLEAN,
    "status" VARCHAR,
    "termination_reason" VARCHAR,
    "termination_kind" VARCHAR);

CREATE TABLE IF NOT EXISTS core."company__directors" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "directors_no" INTEGER,
    "name" VARCHAR,
    "item_inn" VARCHAR,
    "position" VARCHAR);

CREATE TABLE IF NOT EXISTS core."company__founders" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "founders_no" INTEGER,
    "name" VARCHAR,
    "item_inn" VARCHAR);

CREATE TABLE IF NOT EXISTS core."company__founder_shares" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "founder_shares_no" INTEGER,
    "name" VARCHAR,
    "item_inn" VARCHAR,
    "share_pct" DOUBLE,
    "share_rub" DECIMAL(18,2),
    "date" DATE);

CREATE TABLE IF NOT EXISTS core."company__beneficiaries" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "beneficiaries_no" INTEGER,
    "name" VARCHAR,
    "item_inn" VARCHAR,
    "chain" JSON,
    "share_pct" DOUBLE,
    "type" VARCHAR);

CREATE TABLE IF NOT EXISTS core."company__okved_list" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "okved_list_no" INTEGER,
    "code" VARCHAR,
    "name" VARCHAR,
    "is_main" BOOLEAN);

CREATE TABLE IF NOT EXISTS core."company__employees_history" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "employees_history_no" INTEGER,
    "year" BIGINT,
    "count" BIGINT);

CREATE TABLE IF NOT EXISTS core."company__tax_debts" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "tax_debts_no" INTEGER,
    "year" BIGINT,
    "period" VARCHAR,
    "kbkname" VARCHAR,
    "arrearsum" DECIMAL(18,2),
    "penaltysum" DECIMAL(18,2),
    "finesum" DECIMAL(18,2),
    "totalsum" DECIMAL(18,2));

CREATE TABLE IF NOT EXISTS core."company__tax_payments" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "tax_payments_no" INTEGER,
    "year" BIGINT,
    "kbk" VARCHAR,
    "kbkname" VARCHAR,
    "taxsum" DECIMAL(18,2));

CREATE TABLE IF NOT EXISTS core."company__tax_years" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "tax_years_no" INTEGER,
    "value" BIGINT);

CREATE TABLE IF NOT EXISTS core."company__tax_regimes" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "tax_regimes_no" INTEGER,
    "year" BIGINT,
    "period" VARCHAR,
    "taxCode" VARCHAR,
    "taxName" VARCHAR);

CREATE TABLE IF NOT EXISTS core."company__phones" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "phones_no" INTEGER,
    "value" VARCHAR);

CREATE TABLE IF NOT EXISTS core."company__emails" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "emails_no" INTEGER,
    "value" VARCHAR);

CREATE TABLE IF NOT EXISTS core."company__websites" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "websites_no" INTEGER,
    "value" VARCHAR);

CREATE TABLE IF NOT EXISTS core."company__licenses" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "licenses_no" INTEGER,
    "number" VARCHAR,
    "date" DATE,
    "authority" VARCHAR,
    "activity" VARCHAR);

CREATE TABLE IF NOT EXISTS core."company__sro" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "sro_no" INTEGER,
    "name" VARCHAR,
    "item_inn" VARCHAR,
    "date" DATE);

CREATE TABLE IF NOT EXISTS core."company__address_history" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "address_history_no" INTEGER,
    "address" VARCHAR,
    "date" DATE);

CREATE TABLE IF NOT EXISTS core."company__previous_names" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "previous_names_no" INTEGER,
    "value" VARCHAR);

CREATE TABLE IF NOT EXISTS core."company__tax_payments_by_year" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "year" BIGINT,
    "tax_name" VARCHAR,
    "amount" DECIMAL(18,2));

CREATE TABLE IF NOT EXISTS core."company__social_profiles" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "network" VARCHAR,
    "url" VARCHAR,
    "name" VARCHAR,
    "extra" JSON);

CREATE TABLE IF NOT EXISTS core."company__leaves" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "path" VARCHAR,
    "value" VARCHAR,
    "type" VARCHAR);

CREATE TABLE IF NOT EXISTS core."fssp" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "total_proceedings" BIGINT,
    "active_proceedings" BIGINT,
    "completed_proceedings" BIGINT,
    "total_debt_rub" DECIMAL(18,2),
    "active_debt_rub" DECIMAL(18,2),
    "completed_paid" BIGINT,
    "completed_no_assets" BIGINT,
    "completed_expired" BIGINT,
    "completed_returned" BIGINT,
    "completed_other" BIGINT);

CREATE TABLE IF NOT EXISTS core."fssp__proceedings" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "proceedings_no" INTEGER,
    "exe_production" VARCHAR,
    "process_date" DATE,
    "subject" VARCHAR,
    "subject_matter" VARCHAR,
    "sum" DECIMAL(18,2),
    "is_active" BOOLEAN,
    "end_reason" VARCHAR,
    "completion_reason" VARCHAR,
    "debtor_name" VARCHAR,
    "department" VARCHAR,
    "department_address" VARCHAR,
    "bailiff" VARCHAR,
    "bailiff_phone" VARCHAR,
    "document_type" VARCHAR,
    "case_number" VARCHAR,
    "doc_date" DATE,
    "court_name" VARCHAR);

CREATE TABLE IF NOT EXISTS core."arbitration" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "total_cases" BIGINT,
    "as_plaintiff" BIGINT,
    "as_respondent" BIGINT,
    "as_third" BIGINT,
    "won" BIGINT,
    "lost" BIGINT,
    "total_claim_sum" DECIMAL(18,2));

CREATE TABLE IF NOT EXISTS core."arbitration__cases" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "case_id" VARCHAR,
    "case_number" VARCHAR,
    "date" DATE,
    "type" VARCHAR,
    "url" VARCHAR,
    "file_url" VARCHAR,
    "claim_sum" DECIMAL(18,2),
    "claim_sum_unavailable" BOOLEAN,
    "judge" VARCHAR,
    "court" VARCHAR,
    "role" VARCHAR,
    "result" VARCHAR);

CREATE TABLE IF NOT EXISTS core."arbitration__cases__plaintiffs" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "plaintiffs_no" INTEGER,
    "name" VARCHAR,
    "item_inn" VARCHAR);

CREATE TABLE IF NOT EXISTS core."arbitration__cases__respondents" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "respondents_no" INTEGER,
    "name" VARCHAR,
    "item_inn" VARCHAR);

CREATE TABLE IF NOT EXISTS core."arbitration__cases__third_parties" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "third_parties_no" INTEGER,
    "name" VARCHAR,
    "address" VARCHAR);

CREATE TABLE IF NOT EXISTS core."arbitration__cases__other_parties" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "other_parties_no" INTEGER,
    "name" VARCHAR,
    "address" VARCHAR);

CREATE TABLE IF NOT EXISTS core."arbitration__cases__instances" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "instances_no" INTEGER,
    "name" VARCHAR);

CREATE TABLE IF NOT EXISTS core."arbitration__cases__instances__events" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "instances_no" INTEGER,
    "events_no" INTEGER,
    "date" DATE,
    "description" VARCHAR);

CREATE TABLE IF NOT EXISTS core."arbitration__cases__movements" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "movements_no" INTEGER,
    "date" DATE,
    "description" VARCHAR);

CREATE TABLE IF NOT EXISTS core."arbitration__cases__plaintiff_inns" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "plaintiff_inns_no" INTEGER,
    "value" VARCHAR);

CREATE TABLE IF NOT EXISTS core."arbitration__cases__respondent_inns" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "respondent_inns_no" INTEGER,
    "value" VARCHAR);

CREATE TABLE IF NOT EXISTS core."bankruptcy" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "has_bankruptcy" BOOLEAN,
    "has_intention" BOOLEAN,
    "status" VARCHAR,
    "total_cases" BIGINT);

CREATE TABLE IF NOT EXISTS core."bankruptcy__cases" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "status" VARCHAR,
    "status_raw" VARCHAR,
    "name" VARCHAR,
    "item_inn" VARCHAR,
    "ogrn" VARCHAR,
    "region" VARCHAR,
    "case_number" VARCHAR,
    "arbitration_manager_name" VARCHAR,
    "arbitration_manager_guid" VARCHAR,
    "arbitration_manager_type" VARCHAR,
    "update_date" TIMESTAMP);

CREATE TABLE IF NOT EXISTS core."contracts" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "total_contracts" BIGINT,
    "total_amount" DECIMAL(18,2),
    "supplier_amount" DECIMAL(18,2),
    "customer_amount" DECIMAL(18,2),
    "as_supplier" BIGINT,
    "as_customer" BIGINT,
    "fz44_contracts" BIGINT);

CREATE TABLE IF NOT EXISTS core."contracts__contracts" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "contracts_no" INTEGER,
    "reg_num" VARCHAR,
    "subject" VARCHAR,
    "amount" DECIMAL(18,2),
    "paid_sum" DECIMAL(18,2),
    "sign_date" DATE,
    "contract_stage" VARCHAR,
    "okpd2_code" VARCHAR,
    "okpd2_name" VARCHAR,
    "delivery_place" VARCHAR,
    "customer_name" VARCHAR,
    "customer_inn" VARCHAR,
    "supplier_name" VARCHAR,
    "supplier_inn" VARCHAR,
    "role" VARCHAR,
    "law" VARCHAR,
    "source" VARCHAR,
    "url" VARCHAR);

CREATE TABLE IF NOT EXISTS core."contracts__contracts__products" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "contracts_no" INTEGER,
    "products_no" INTEGER,
    "okpd2_code" VARCHAR,
    "okpd2_name" VARCHAR,
    "name" VARCHAR,
    "quantity" DOUBLE,
    "unit" VARCHAR,
    "price" DECIMAL(18,2),
    "total_sum" DECIMAL(18,2));

CREATE TABLE IF NOT EXISTS core."contracts__by_year" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "year" BIGINT,
    "count" BIGINT,
    "amount" DECIMAL(18,2));

CREATE TABLE IF NOT EXISTS core."financial" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "has_data" BOOLEAN,
    "okpo" VARCHAR,
    "employee_count" BIGINT);

CREATE TABLE IF NOT EXISTS core."financial__years" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "years_no" INTEGER,
    "value" BIGINT);

CREATE TABLE IF NOT EXISTS core."financial__employees_history" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "employees_history_no" INTEGER,
    "year" BIGINT,
    "count" BIGINT);

CREATE TABLE IF NOT EXISTS core."financial__indicators" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "year" BIGINT,
    "indicator" VARCHAR,
    "amount" DECIMAL(18,2));

CREATE TABLE IF NOT EXISTS core."financial__tax_burden_pct" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "year" BIGINT,
    "value" DOUBLE);

CREATE TABLE IF NOT EXISTS core."financial__lines" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "form" VARCHAR,
    "year" BIGINT,
    "line_code" VARCHAR,
    "amount" DECIMAL(18,2));

CREATE TABLE IF NOT EXISTS core."pledges" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "total_pledges" BIGINT);

CREATE TABLE IF NOT EXISTS core."pledges__pledges" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "pledges_no" INTEGER,
    "id" VARCHAR,
    "reg_date" DATE,
    "source" VARCHAR);

CREATE TABLE IF NOT EXISTS core."pledges__pledges__pledgors" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "pledges_no" INTEGER,
    "pledgors_no" INTEGER,
    "name" VARCHAR);

CREATE TABLE IF NOT EXISTS core."pledges__pledges__pledgees" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "pledges_no" INTEGER,
    "pledgees_no" INTEGER,
    "name" VARCHAR);

CREATE TABLE IF NOT EXISTS core."pledges__pledges__properties" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "pledges_no" INTEGER,
    "properties_no" INTEGER,
    "description" VARCHAR);

CREATE TABLE IF NOT EXISTS core."inspections" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "total" BIGINT,
    "completed" BIGINT,
    "with_violations" BIGINT,
    "planned" BIGINT,
    "unplanned" BIGINT);

CREATE TABLE IF NOT EXISTS core."inspections__inspections" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "inspections_no" INTEGER,
    "number" VARCHAR,
    "type" VARCHAR,
    "method" VARCHAR,
    "start_date" DATE,
    "end_date" DATE,
    "authority" VARCHAR,
    "status" VARCHAR,
    "has_violations" BOOLEAN,
    "purpose" VARCHAR,
    "violations_text" VARCHAR);

CREATE TABLE IF NOT EXISTS core."risk_flags" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "mass_director" BOOLEAN,
    "mass_founder" BOOLEAN,
    "mass_address" BOOLEAN,
    "disqualified_persons" BOOLEAN,
    "authorized_capital" DECIMAL(18,2),
    "status_name" VARCHAR,
    "employee_count" BIGINT,
    "sme_category" VARCHAR);

CREATE TABLE IF NOT EXISTS core."risk_flags__disqualified_records" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "disqualified_records_no" INTEGER,
    "queried_name" VARCHAR,
    "matched_name" VARCHAR,
    "birth_date" DATE,
    "company" VARCHAR,
    "position" VARCHAR,
    "offence" VARCHAR,
    "start_date" DATE,
    "end_date" DATE,
    "term" VARCHAR);

CREATE TABLE IF NOT EXISTS core."risk_flags__employees_history" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "employees_history_no" INTEGER,
    "year" BIGINT,
    "count" BIGINT);

CREATE TABLE IF NOT EXISTS core."risk_flags__founder_shares" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "founder_shares_no" INTEGER,
    "name" VARCHAR,
    "item_inn" VARCHAR,
    "share_pct" DOUBLE,
    "share_rub" DECIMAL(18,2),
    "date" DATE);

CREATE TABLE IF NOT EXISTS core."risk_flags__okved_list" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "okved_list_no" INTEGER,
    "code" VARCHAR,
    "name" VARCHAR);

CREATE TABLE IF NOT EXISTS core."risk_flags__efrsb_messages" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "efrsb_messages_no" INTEGER,
    "type" VARCHAR,
    "date" TIMESTAMP,
    "text" VARCHAR,
    "number" VARCHAR,
    "publisher" VARCHAR);

CREATE TABLE IF NOT EXISTS core."risk_flags__linked_companies" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "linked_companies_no" INTEGER,
    "item_inn" VARCHAR,
    "ogrn" VARCHAR,
    "name" VARCHAR,
    "status" VARCHAR,
    "role" VARCHAR,
    "via_name" VARCHAR,
    "via_inn" VARCHAR,
    "historic" BOOLEAN,
    "source" VARCHAR);

CREATE TABLE IF NOT EXISTS core."risk_flags__linked_companies__connections" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "linked_companies_no" INTEGER,
    "connections_no" INTEGER,
    "role" VARCHAR,
    "via_name" VARCHAR,
    "via_inn" VARCHAR,
    "source" VARCHAR);

CREATE TABLE IF NOT EXISTS core."rnp" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "total" BIGINT,
    "active" BIGINT,
    "historic" BIGINT);

CREATE TABLE IF NOT EXISTS core."rnp__records" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "records_no" INTEGER,
    "reg_number" VARCHAR,
    "law" VARCHAR,
    "supplier_name" VARCHAR,
    "supplier_inn" VARCHAR,
    "inclusion_date" DATE,
    "exclusion_date" DATE,
    "status" VARCHAR,
    "reason" VARCHAR,
    "fas_authority" VARCHAR,
    "decision_number" VARCHAR,
    "decision_date" DATE,
    "detail_url" VARCHAR);

CREATE TABLE IF NOT EXISTS core."sanctions" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "name" VARCHAR);

CREATE TABLE IF NOT EXISTS core."sanctions__hits" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "hits_no" INTEGER,
    "source" VARCHAR,
    "list_label" VARCHAR,
    "name" VARCHAR,
    "name_ru" VARCHAR,
    "item_inn" VARCHAR,
    "dob" VARCHAR,
    "program" VARCHAR,
    "designated_at" DATE,
    "address" VARCHAR,
    "match_confidence" VARCHAR,
    "raw_id" VARCHAR);

CREATE TABLE IF NOT EXISTS core."licenses" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "total" BIGINT);

CREATE TABLE IF NOT EXISTS core."licenses__health" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "health_no" INTEGER,
    "source" VARCHAR,
    "license_number" VARCHAR,
    "license_date" DATE,
    "activity_type" VARCHAR,
    "licensee_name" VARCHAR,
    "licensee_inn" VARCHAR,
    "licensee_ogrn" VARCHAR,
    "address" VARCHAR,
    "order_date" VARCHAR,
    "order_number" VARCHAR,
    "work_address" VARCHAR,
    "status" VARCHAR);

CREATE TABLE IF NOT EXISTS core."licenses__leaves" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "path" VARCHAR,
    "value" VARCHAR,
    "type" VARCHAR);

CREATE TABLE IF NOT EXISTS core."freezes" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "found" BOOLEAN,
    "count" BIGINT);

CREATE TABLE IF NOT EXISTS core."freezes__items" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "items_no" INTEGER,
    "decision_date" DATE,
    "decision_num" VARCHAR,
    "authority" VARCHAR,
    "bank" VARCHAR,
    "bik" VARCHAR,
    "code" VARCHAR,
    "kbk" VARCHAR);

CREATE TABLE IF NOT EXISTS core."general_courts" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "total_cases" BIGINT,
    "cases_found_now" BIGINT,
    "cases_from_store" BIGINT,
    "from_store_only" BOOLEAN,
    "courts_searched" BIGINT,
    "courts_in_region" BIGINT,
    "errors" BIGINT);

CREATE TABLE IF NOT EXISTS core."general_courts__cases" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "case_number" VARCHAR,
    "date" DATE,
    "participants" VARCHAR,
    "category" VARCHAR,
    "result_date" DATE,
    "result" VARCHAR,
    "court" VARCHAR,
    "url" VARCHAR,
    "case_id" VARCHAR,
    "role" VARCHAR,
    "claim_sum" DECIMAL(18,2),
    "attracted_parties_known" BOOLEAN,
    "court_type" VARCHAR,
    "codex" VARCHAR,
    "case_uid" VARCHAR,
    "category_detailed" VARCHAR,
    "judge" VARCHAR,
    "decision_date" DATE,
    "movements_known" BOOLEAN,
    "has_appeal" BOOLEAN,
    "has_cassation" BOOLEAN,
    "is_force" BOOLEAN,
    "latest_stage" VARCHAR,
    "parties_detail_known" BOOLEAN,
    "writs_known" BOOLEAN,
    "acts_known" BOOLEAN,
    "_from_store" BOOLEAN);

CREATE TABLE IF NOT EXISTS core."general_courts__cases__plaintiffs" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "plaintiffs_no" INTEGER,
    "name" VARCHAR,
    "item_inn" VARCHAR,
    "ogrn" VARCHAR);

CREATE TABLE IF NOT EXISTS core."general_courts__cases__respondents" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "respondents_no" INTEGER,
    "name" VARCHAR,
    "item_inn" VARCHAR,
    "ogrn" VARCHAR);

CREATE TABLE IF NOT EXISTS core."general_courts__cases__third_parties" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "third_parties_no" INTEGER,
    "name" VARCHAR,
    "item_inn" VARCHAR,
    "ogrn" VARCHAR);

CREATE TABLE IF NOT EXISTS core."general_courts__cases__attracted_parties" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "attracted_parties_no" INTEGER,
    "name" VARCHAR,
    "codex" VARCHAR);

CREATE TABLE IF NOT EXISTS core."general_courts__cases__other_parties" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "other_parties_no" INTEGER,
    "name" VARCHAR);

CREATE TABLE IF NOT EXISTS core."general_courts__cases__movements" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "movements_no" INTEGER,
    "date" DATE,
    "time" VARCHAR,
    "event" VARCHAR,
    "place" VARCHAR,
    "result" VARCHAR,
    "basis" VARCHAR,
    "note" VARCHAR,
    "published" VARCHAR);

CREATE TABLE IF NOT EXISTS core."general_courts__cases__parties_detail" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "parties_detail_no" INTEGER,
    "role" VARCHAR,
    "name" VARCHAR,
    "item_inn" VARCHAR,
    "kpp" VARCHAR,
    "ogrn" VARCHAR,
    "ogrnip" VARCHAR);

CREATE TABLE IF NOT EXISTS core."general_courts__cases__writs" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "writs_no" INTEGER,
    "date" DATE,
    "number" VARCHAR,
    "e_id" VARCHAR,
    "status" VARCHAR,
    "recipient" VARCHAR);

CREATE TABLE IF NOT EXISTS core."general_courts__cases__acts" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "cases_no" INTEGER,
    "acts_no" INTEGER,
    "n" BIGINT,
    "title" VARCHAR,
    "text_snippet" VARCHAR,
    "text_len" BIGINT);

CREATE TABLE IF NOT EXISTS core."timeline" (
    "version_id" VARCHAR,
    "inn" VARCHAR);

CREATE TABLE IF NOT EXISTS core."timeline__events" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "events_no" INTEGER,
    "date" DATE,
    "type" VARCHAR,
    "event" VARCHAR,
    "source" VARCHAR);

CREATE TABLE IF NOT EXISTS core."tax_debts" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "total" BIGINT,
    "total_sum" DECIMAL(18,2),
    "snapshot_date" DATE);

CREATE TABLE IF NOT EXISTS core."tax_debts__records" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "records_no" INTEGER,
    "name" VARCHAR,
    "debt_type" VARCHAR,
    "sum" DECIMAL(18,2),
    "record_date" DATE);

CREATE TABLE IF NOT EXISTS core."tax_offences" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "total" BIGINT,
    "total_sum" DECIMAL(18,2),
    "snapshot_date" DATE);

CREATE TABLE IF NOT EXISTS core."tax_offences__records" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "records_no" INTEGER,
    "name" VARCHAR,
    "sum" DECIMAL(18,2),
    "decision_date" DATE);

CREATE TABLE IF NOT EXISTS core."employees" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "name" VARCHAR,
    "headcount" BIGINT,
    "publish_date" DATE,
    "snapshot_date" DATE);

CREATE TABLE IF NOT EXISTS core."revexp" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "name" VARCHAR,
    "revenue" DECIMAL(18,2),
    "expense" DECIMAL(18,2),
    "period" DATE,
    "snapshot_date" DATE);

CREATE TABLE IF NOT EXISTS core."msp" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "ogrn" VARCHAR,
    "name" VARCHAR,
    "headcount" BIGINT,
    "category" VARCHAR,
    "is_ip" BOOLEAN,
    "as_of" DATE,
    "snapshot_date" DATE);

CREATE TABLE IF NOT EXISTS core."leasing" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "total_contracts" BIGINT);

CREATE TABLE IF NOT EXISTS core."leasing__contracts" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "contracts_no" INTEGER,
    "subject" VARCHAR,
    "lessor" VARCHAR,
    "date" DATE,
    "amount" DECIMAL(18,2),
    "status" VARCHAR);

CREATE TABLE IF NOT EXISTS core."trademarks" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "total" BIGINT);

CREATE TABLE IF NOT EXISTS core."trademarks__trademarks" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "trademarks_no" INTEGER,
    "name" VARCHAR,
    "number" VARCHAR,
    "date" DATE,
    "owner" VARCHAR,
    "url" VARCHAR);

CREATE TABLE IF NOT EXISTS core."founded_companies" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "count" BIGINT);

CREATE TABLE IF NOT EXISTS core."founded_companies__items" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "items_no" INTEGER,
    "name" VARCHAR,
    "item_inn" VARCHAR,
    "ogrn" VARCHAR,
    "role" VARCHAR,
    "status" VARCHAR,
    "source" VARCHAR);

CREATE TABLE IF NOT EXISTS core."minjust_check" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "name" VARCHAR);

CREATE TABLE IF NOT EXISTS core."minjust_check__leaves" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "path" VARCHAR,
    "value" VARCHAR,
    "type" VARCHAR);

CREATE TABLE IF NOT EXISTS core."contacts" (
    "version_id" VARCHAR,
    "inn" VARCHAR);

CREATE TABLE IF NOT EXISTS core."contacts__leaves" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "path" VARCHAR,
    "value" VARCHAR,
    "type" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."runs" (
    "run_id" VARCHAR,
    "started_at" TIMESTAMP,
    "finished_at" TIMESTAMP,
    "portfolio" VARCHAR,
    "profile" VARCHAR,
    "budget_rub" DECIMAL(18,2),
    "charged_rub" DECIMAL(18,2),
    "unknown_rub" DECIMAL(18,2),
    "exit_code" BIGINT,
    "software_version" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."calls" (
    "call_id" VARCHAR,
    "run_id" VARCHAR,
    "inn" VARCHAR,
    "method" VARCHAR,
    "expected_rub" DECIMAL(18,2),
    "charged_rub" DECIMAL(18,2),
    "state" VARCHAR,
    "reserved_at" TIMESTAMP,
    "resolved_at" TIMESTAMP,
    "http_status" BIGINT,
    "reason" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."responses" (
    "response_id" VARCHAR,
    "call_id" VARCHAR,
    "run_id" VARCHAR,
    "inn" VARCHAR,
    "method" VARCHAR,
    "asked_at" TIMESTAMP,
    "received_at" TIMESTAMP,
    "http_status" BIGINT,
    "charged_rub" DECIMAL(18,2),
    "balance_rub" DECIMAL(18,2),
    "bytes" BIGINT,
    "sha256" VARCHAR,
    "archive_file" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."snapshots" (
    "snapshot_id" VARCHAR,
    "response_id" VARCHAR,
    "run_id" VARCHAR,
    "inn" VARCHAR,
    "block" VARCHAR,
    "method" VARCHAR,
    "asked_at" TIMESTAMP,
    "collected_at" TIMESTAMP,
    "from_local" BOOLEAN,
    "state" VARCHAR,
    "reason" VARCHAR,
    "version_id" VARCHAR,
    "source_date" DATE,
    "marks" JSON,
    "base_version_id" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."versions" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "block" VARCHAR,
    "content_hash" VARCHAR,
    "first_seen_at" TIMESTAMP,
    "last_seen_at" TIMESTAMP);

CREATE TABLE IF NOT EXISTS lineage."changes" (
    "run_id" VARCHAR,
    "snapshot_id" VARCHAR,
    "inn" VARCHAR,
    "block" VARCHAR,
    "table_name" VARCHAR,
    "row_key" VARCHAR,
    "change" VARCHAR,
    "column_name" VARCHAR,
    "old_value" VARCHAR,
    "new_value" VARCHAR,
    "seen_at" TIMESTAMP,
    "severity" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."kept_rows" (
    "snapshot_id" VARCHAR,
    "inn" VARCHAR,
    "block" VARCHAR,
    "table_name" VARCHAR,
    "row_no" BIGINT);

CREATE TABLE IF NOT EXISTS lineage."violations" (
    "snapshot_id" VARCHAR,
    "inn" VARCHAR,
    "block" VARCHAR,
    "table_name" VARCHAR,
    "row_path" VARCHAR,
    "column_name" VARCHAR,
    "rule" VARCHAR,
    "value" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."quarantine" (
    "snapshot_id" VARCHAR,
    "inn" VARCHAR,
    "block" VARCHAR,
    "table_name" VARCHAR,
    "row_path" VARCHAR,
    "rule" VARCHAR,
    "row" JSON);

CREATE TABLE IF NOT EXISTS lineage."drift" (
    "block" VARCHAR,
    "path" VARCHAR,
    "kind" VARCHAR,
    "sample" VARCHAR,
    "occurrences" BIGINT,
    "first_seen_at" TIMESTAMP,
    "last_seen_at" TIMESTAMP);

CREATE TABLE IF NOT EXISTS lineage."portfolio_members" (
    "portfolio" VARCHAR,
    "inn" VARCHAR,
    "name" VARCHAR,
    "priority" DOUBLE,
    "tags" VARCHAR,
    "extra" JSON,
    "first_seen_at" TIMESTAMP,
    "last_seen_at" TIMESTAMP,
    "left_at" TIMESTAMP);

CREATE TABLE IF NOT EXISTS lineage."portfolio_listings" (
    "portfolio" VARCHAR,
    "listed_at" TIMESTAMP,
    "run_id" VARCHAR,
    "members" BIGINT);

CREATE TABLE IF NOT EXISTS lineage."rejected_inputs" (
    "run_id" VARCHAR,
    "portfolio" VARCHAR,
    "line" BIGINT,
    "value" VARCHAR,
    "reason" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."policies" (
    "policy_version" VARCHAR,
    "name" VARCHAR,
    "position" BIGINT,
    "portfolios" JSON,
    "tags" JSON,
    "policy" JSON,
    "first_used_at" TIMESTAMP);

CREATE TABLE IF NOT EXISTS lineage."findings" (
    "version_id" VARCHAR,
    "inn" VARCHAR,
    "limits_version" VARCHAR,
    "signal" VARCHAR,
    "present" BOOLEAN,
    "amount" DOUBLE,
    "began" TIMESTAMP,
    "evidence" VARCHAR,
    "facts" VARCHAR[]);

CREATE TABLE IF NOT EXISTS lineage."assessments" (
    "run_id" VARCHAR,
    "inn" VARCHAR,
    "assessed_at" TIMESTAMP,
    "level" VARCHAR,
    "level_known" VARCHAR,
    "level_at_most" VARCHAR,
    "score" BIGINT,
    "score_at_most" BIGINT,
    "unknown_blocks" JSON,
    "stale_blocks" JSON,
    "states" JSON,
    "facts" JSON,
    "own_high" BOOLEAN,
    "policy_version" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."signal_changes" (
    "run_id" VARCHAR,
    "inn" VARCHAR,
    "signal" VARCHAR,
    "from_state" VARCHAR,
    "to_state" VARCHAR,
    "severity" VARCHAR,
    "evidence" VARCHAR,
    "snapshot_id" VARCHAR,
    "policy_version" VARCHAR,
    "assessed_at" TIMESTAMP);

CREATE TABLE IF NOT EXISTS lineage."_record_files" (
    archive_file VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."_bodies" (
    response_id VARCHAR,
    block VARCHAR,
    digest UBIGINT);

CREATE TABLE IF NOT EXISTS lineage."_finding_limits" (
    limits_version VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."_assessed_runs" (
    run_id VARCHAR,
    assessed_at TIMESTAMP,
    attempts BIGINT,
    members BIGINT);

CREATE TABLE IF NOT EXISTS lineage."_loads" (
    load_no BIGINT,
    token VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."_risk_signals" (
    "inn" VARCHAR,
    "signal" VARCHAR,
    "title" VARCHAR,
    "title_ru" VARCHAR,
    "severity" VARCHAR,
    "weight" INTEGER,
    "group_name" VARCHAR,
    "state" VARCHAR,
    "confirmed" BOOLEAN,
    "reason" VARCHAR,
    "since" TIMESTAMP,
    "since_seen" BOOLEAN,
    "evidence" VARCHAR,
    "block" VARCHAR,
    "version_id" VARCHAR,
    "policy_version" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."_risk_scores" (
    "inn" VARCHAR,
    "load_no" BIGINT,
    "judged_at" TIMESTAMP,
    "valid_until" DATE,
    "basis_until" TIMESTAMP,
    "basis" UBIGINT,
    "card" UBIGINT,
    "own_high" BOOLEAN,
    "level" VARCHAR,
    "level_known" VARCHAR,
    "level_at_most" VARCHAR,
    "score" INTEGER,
    "score_confirmed" INTEGER,
    "score_at_most" INTEGER,
    "unknown_blocks" VARCHAR[],
    "unknown_since" TIMESTAMP[],
    "never_requested_blocks" VARCHAR[],
    "stale_blocks" VARCHAR[],
    "known_part" VARCHAR,
    "reasons" VARCHAR[],
    "reasons_ru" VARCHAR[],
    "unknown_signals" VARCHAR[],
    "present" BIGINT,
    "absent" BIGINT,
    "unknown" BIGINT,
    "never_requested" BIGINT,
    "not_offered" BIGINT,
    "policy" VARCHAR,
    "policy_version" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."_risk_news" (
    "inn" VARCHAR,
    "kind" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."_risk_checks" (
    "checked_at" TIMESTAMP,
    "policies" VARCHAR,
    "answers" BIGINT,
    "calls" BIGINT,
    "members" BIGINT);

CREATE TABLE IF NOT EXISTS lineage."_links" (
    "inn" VARCHAR,
    "other_inn" VARCHAR,
    "kind" VARCHAR,
    "via" VARCHAR,
    "via_inn" VARCHAR,
    "name" VARCHAR,
    "other_name" VARCHAR,
    "other_is_member" BOOLEAN,
    "shared" BOOLEAN,
    "matched_by" VARCHAR,
    "status" VARCHAR,
    "other_status" VARCHAR,
    "historic" BOOLEAN,
    "block" VARCHAR,
    "version_id" VARCHAR,
    "checked_at" TIMESTAMP,
    "collected_at" TIMESTAMP,
    "confirmed" BOOLEAN,
    "complete" BOOLEAN,
    "other_version_id" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."_link_names" (
    "inn" VARCHAR,
    "name" VARCHAR,
    "is_member" BOOLEAN,
    "status" VARCHAR,
    "basis" UBIGINT);

CREATE TABLE IF NOT EXISTS lineage."_link_persons" (
    "inn" VARCHAR,
    "item_inn" VARCHAR,
    "name" VARCHAR,
    "kinds" VARCHAR[],
    "name_key" VARCHAR,
    "block" VARCHAR,
    "version_id" VARCHAR,
    "checked_at" TIMESTAMP,
    "collected_at" TIMESTAMP,
    "confirmed" BOOLEAN,
    "complete" BOOLEAN);

CREATE TABLE IF NOT EXISTS lineage."_link_values" (
    "inn" VARCHAR,
    "kind" VARCHAR,
    "key" VARCHAR,
    "value" VARCHAR,
    "block" VARCHAR,
    "version_id" VARCHAR,
    "checked_at" TIMESTAMP,
    "collected_at" TIMESTAMP,
    "confirmed" BOOLEAN,
    "complete" BOOLEAN);

CREATE TABLE IF NOT EXISTS lineage."_link_companies" (
    "inn" VARCHAR,
    "other_inn" VARCHAR,
    "kind" VARCHAR,
    "via" VARCHAR,
    "via_inn" VARCHAR,
    "other_name" VARCHAR,
    "status" VARCHAR,
    "historic" BOOLEAN,
    "block" VARCHAR,
    "version_id" VARCHAR,
    "checked_at" TIMESTAMP,
    "collected_at" TIMESTAMP,
    "confirmed" BOOLEAN,
    "complete" BOOLEAN);

CREATE TABLE IF NOT EXISTS lineage."_links_state" (
    "content" VARCHAR,
    "snapshots" BIGINT);

CREATE TABLE IF NOT EXISTS lineage."_link_ends" (
    "inn" VARCHAR,
    "load_no" BIGINT);

CREATE TABLE IF NOT EXISTS lineage."_news" (
    "news_id" VARCHAR,
    "seen_at" TIMESTAMP,
    "severity" VARCHAR,
    "inn" VARCHAR,
    "block" VARCHAR,
    "topic" VARCHAR,
    "fact_key" VARCHAR,
    "sentence_ru" VARCHAR,
    "sentence_en" VARCHAR,
    "changes" BIGINT,
    "known_until" TIMESTAMP,
    "run_id" VARCHAR,
    "snapshot_id" VARCHAR);

CREATE TABLE IF NOT EXISTS lineage."_news_notes" (
    "inn" VARCHAR,
    "block" VARCHAR,
    "since" TIMESTAMP);

CREATE TABLE IF NOT EXISTS lineage."_news_state" (
    "is_stored" BOOLEAN);

CREATE TABLE IF NOT EXISTS lineage."_latest" (
    "inn" VARCHAR,
    "block" VARCHAR,
    "asked_at" TIMESTAMP,
    "snapshot_id" VARCHAR,
    "state" VARCHAR,
    "reason" VARCHAR,
    "method" VARCHAR,
    "version_id" VARCHAR,
    "evidence_id" VARCHAR,
    "evidence_state" VARCHAR,
    "evidence_reason" VARCHAR,
    "checked_at" TIMESTAMP,
    "collected_at" TIMESTAMP,
    "source_date" DATE,
    "is_whole" BOOLEAN);

CREATE TABLE IF NOT EXISTS lineage."_unanswered_calls" (
    "call_id" VARCHAR,
    "run_id" VARCHAR,
    "inn" VARCHAR,
    "method" VARCHAR,
    "reserved_at" TIMESTAMP,
    "reason" VARCHAR);

-- company, company__ip_records, company__directors, company__founders, company__founder_shares, company__beneficiaries, company__okved_list, company__employees_history, company__tax_debts, company__tax_payments, company__tax_years, company__tax_regimes, company__phones, company__emails, company__websites, company__licenses, company__sro, company__address_history, company__previous_names, company__tax_payments_by_year, company__social_profiles, company__leaves, fssp, fssp__proceedings, arbitration, arbitration__cases, arbitration__cases__plaintiffs, arbitration__cases__respondents, arbitration__cases__third_parties, arbitration__cases__other_parties, arbitration__cases__instances, arbitration__cases__instances__events, arbitration__cases__movements, arbitration__cases__plaintiff_inns, arbitration__cases__respondent_inns, bankruptcy, bankruptcy__cases, contracts, contracts__contracts, contracts__contracts__products, contracts__by_year, financial, financial__years, financial__employees_history, financial__indicators, financial__tax_burden_pct, financial__lines, pledges, pledges__pledges, pledges__pledges__pledgors, pledges__pledges__pledgees, pledges__pledges__properties, inspections, inspections__inspections, risk_flags, risk_flags__disqualified_records, risk_flags__employees_history, risk_flags__founder_shares, risk_flags__okved_list, risk_flags__efrsb_messages, risk_flags__linked_companies, risk_flags__linked_companies__connections, rnp, rnp__records, sanctions, sanctions__hits, licenses, licenses__health, licenses__leaves, freezes, freezes__items, general_courts, general_courts__cases, general_courts__cases__plaintiffs, general_courts__cases__respondents, general_courts__cases__third_parties, general_courts__cases__attracted_parties, general_courts__cases__other_parties, general_courts__cases__movements, general_courts__cases__parties_detail, general_courts__cases__writs, general_courts__cases__acts, timeline, timeline__events, tax_debts, tax_debts__records, tax_offences, tax_offences__records, employees, revexp, msp, leasing, leasing__contracts, trademarks, trademarks__trademarks, founded_companies, founded_companies__items, minjust_check, minjust_check__leaves, contacts, contacts__leaves
CREATE OR REPLACE VIEW current."<table>" AS SELECT t.*, l.checked_at, l.collected_at FROM core."<table>" t JOIN lineage."_latest" l ON l.version_id = t.version_id AND l.block = '<block>';

-- company, company__ip_records, company__directors, company__founders, company__founder_shares, company__beneficiaries, company__okved_list, company__employees_history, company__tax_debts, company__tax_payments, company__tax_years, company__tax_regimes, company__phones, company__emails, company__websites, company__licenses, company__sro, company__address_history, company__previous_names, company__tax_payments_by_year, company__social_profiles, company__leaves, fssp, fssp__proceedings, arbitration, arbitration__cases, arbitration__cases__plaintiffs, arbitration__cases__respondents, arbitration__cases__third_parties, arbitration__cases__other_parties, arbitration__cases__instances, arbitration__cases__instances__events, arbitration__cases__movements, arbitration__cases__plaintiff_inns, arbitration__cases__respondent_inns, bankruptcy, bankruptcy__cases, contracts, contracts__contracts, contracts__contracts__products, contracts__by_year, financial, financial__years, financial__employees_history, financial__indicators, financial__tax_burden_pct, financial__lines, pledges, pledges__pledges, pledges__pledges__pledgors, pledges__pledges__pledgees, pledges__pledges__properties, inspections, inspections__inspections, risk_flags, risk_flags__disqualified_records, risk_flags__employees_history, risk_flags__founder_shares, risk_flags__okved_list, risk_flags__efrsb_messages, risk_flags__linked_companies, risk_flags__linked_companies__connections, rnp, rnp__records, sanctions, sanctions__hits, licenses, licenses__health, licenses__leaves, freezes, freezes__items, general_courts, general_courts__cases, general_courts__cases__plaintiffs, general_courts__cases__respondents, general_courts__cases__third_parties, general_courts__cases__attracted_parties, general_courts__cases__other_parties, general_courts__cases__movements, general_courts__cases__parties_detail, general_courts__cases__writs, general_courts__cases__acts, timeline, timeline__events, tax_debts, tax_debts__records, tax_offences, tax_offences__records, employees, revexp, msp, leasing, leasing__contracts, trademarks, trademarks__trademarks, founded_companies, founded_companies__items, minjust_check, minjust_check__leaves, contacts, contacts__leaves
CREATE OR REPLACE MACRO as_of."<table>"(moment) AS TABLE SELECT t.*, l.checked_at, l.collected_at FROM core."<table>" t JOIN (SELECT arg_max(version_id, (asked_at, snapshot_id)) AS version_id, max(asked_at) AS checked_at, arg_max(collected_at, (asked_at, snapshot_id)) AS collected_at FROM lineage.snapshots WHERE version_id IS NOT NULL AND block = '<block>' AND asked_at <= moment GROUP BY inn, block) l ON l.version_id = t.version_id;
