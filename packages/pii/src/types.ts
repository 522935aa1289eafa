/** Types that do not depend on a country. `url` is found only if it is named. */
const GLOBAL_TYPES = [
  'email',
  'phone',
  'credit_card',
  'iban',
  'ip_address',
  'mac_address',
  'url_credentials',
  'url',
  'crypto_wallet',
  'date_of_birth',
  'passport',
] as const

/** Identifiers by country, ISO 3166-1 alpha-2. */
export const NATIONAL_TYPES = {
  AU: ['au_abn', 'au_acn', 'au_tfn', 'au_medicare'],
  BR: ['br_cpf', 'br_cnpj'],
  CA: ['ca_sin'],
  DE: [
    'de_tax_id',
    'de_tax_number',
    'de_vat',
    'de_social_security',
    'de_health_insurance',
    'de_id_card',
    'de_passport',
    'de_driving_licence',
    'de_lanr',
    'de_bsnr',
    'de_commercial_register',
    'de_vehicle_registration',
    'de_postcode',
  ],
  ES: ['es_nif', 'es_nie', 'es_passport'],
  FI: ['fi_personal_identity_code'],
  FR: ['fr_nir', 'fr_passport'],
  GB: ['uk_nhs', 'uk_nino', 'uk_passport', 'uk_driving_licence', 'uk_vehicle_registration', 'uk_postcode'],
  IN: ['in_aadhaar', 'in_pan', 'in_gstin', 'in_passport', 'in_voter', 'in_vehicle_registration'],
  IT: ['it_fiscal_code', 'it_vat', 'it_driver_license', 'it_identity_card', 'it_passport'],
  KR: ['kr_rrn', 'kr_frn', 'kr_brn', 'kr_driver_license', 'kr_passport'],
  NG: ['ng_nin', 'ng_vehicle_registration'],
  NL: ['nl_bsn', 'nl_passport'],
  PH: ['ph_tin'],
  PL: ['pl_pesel', 'pl_nip'],
  SE: ['se_personnummer', 'se_organisationsnummer'],
  SG: ['sg_nric_fin', 'sg_uen'],
  TH: ['th_tnin'],
  TR: ['tr_national_id', 'tr_license_plate'],
  US: [
    'us_ssn',
    'us_itin',
    'us_passport',
    'us_driver_license',
    'us_aba_routing',
    'us_bank_account',
    'us_mbi',
    'us_npi',
    'us_dea',
  ],
  ZA: ['za_id_number'],
} as const

/** A country with known identifiers. */
export type PIIRegion = keyof typeof NATIONAL_TYPES

/** A type that the detector can find. */
export type PIIType = (typeof GLOBAL_TYPES)[number] | (typeof NATIONAL_TYPES)[PIIRegion][number]

export const PII_REGIONS: readonly PIIRegion[] = Object.keys(NATIONAL_TYPES) as PIIRegion[]

export const PII_TYPES: readonly PIIType[] = [...GLOBAL_TYPES, ...Object.values(NATIONAL_TYPES).flat()]
