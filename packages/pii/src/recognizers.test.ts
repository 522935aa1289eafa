import { MillraceError } from '@millrace/core'
import { Scanner } from '@millrace/guards/scanner'
import { describe, expect, test } from 'vitest'
import { COUNTRIES } from './catalogue.ts'
import { checkSelection, piiRecognizers } from './recognizers.ts'
import { NATIONAL_TYPES, PII_REGIONS, PII_TYPES, type PIIRegion, type PIIType } from './types.ts'

/** By type: what is found by its form where the type is named, and what looks like it and is not. */
const examples: Partial<Record<PIIType, { found: string[]; not: string[] }>> = {
  email: {
    found: [
      'jo.doe+news@mail.example.co.uk',
      'Ünal@bücher.example',
      "o'neil@example.ie",
      'a@xn--bcher-kva.example',
      'jo%40example.com',
    ],
    not: ['icon@2x.png', 'a@b', '@types/node', 'user@localhost', 'see @example.com'],
  },
  phone: {
    found: [
      '+49 30 901820',
      '+1 (212) 555-0199',
      '(212) 555-0199',
      '020 7946 0958',
      '+81 3-1234-5678',
      '0044 20 7946 0958',
      '+49 (0)30 901820',
      '+39 (0)6 698 83860',
    ],
    not: [
      '5cbf6159-2948-438d-a2ce-139acff7dcdd',
      'fa1644d4-fc32-4956-8273-4ddb33fad876',
      '["63ed1619-c323-4534-8356-cc7598c85792","x"]',
      '2024-05-06',
      '12.05.1987',
      '192.168.100.200',
      '3.14159265',
      '1987-1990',
      '978-3-16-148410-0',
      '1.234.567',
    ],
  },
  credit_card: {
    found: [
      '4111 1111 1111 1111',
      '378282246310005',
      '3782-822463-10005',
      '6011-1111-1111-1117',
      '2223003122003222',
    ],
    not: ['4111 1111 1111 1112', '4111-1111 11111111', '0000 0000 0000 0000', '0.4111111111111111'],
  },
  iban: {
    found: [
      'GB82 WEST 1234 5698 7654 32',
      'DE89370400440532013000',
      'nl91abna0417164300',
      'BE71-0961-2345-6769',
    ],
    not: [
      'GB82 WEST 1234 5698 7654 33',
      'GB82WEST1234569876543',
      'DE89A70400440532013000',
      'ZZ82WEST12345698765432',
    ],
  },
  ip_address: {
    found: ['203.0.113.7', '2001:db8::ff00:42:8329', '::ffff:203.0.113.7', '10.1.0.0/16', 'fe80::/10'],
    not: ['203.0.113.700', '1.2.3', 'std::vector', '12:30:45', '1:2:3:4:5:6:7', '2001:db8::1::2'],
  },
  mac_address: {
    found: ['00:1b:44:11:3a:b7', '00-1B-44-11-3A-B7', '001b.4411.3ab7'],
    not: ['00:1b:44:11:3a', '00:1b-44:11-3a:b7', '00:1b:44:11:3a:b7:00'],
  },
  url_credentials: {
    found: ['https://jo:hunter2@example.com/x', 'redis://:pw12@cache:6379'],
    not: ['https://example.com:8080/x', 'https://$USER:$PASS@example.com', 'https://example.com/a@b'],
  },
  url: {
    found: ['https://example.com/a?b=c', 'www.example.com'],
    not: ['http://intranet', 'example', 'www.example'],
  },
  crypto_wallet: {
    found: [
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed',
      'TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC',
      'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L',
      'addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8',
    ],
    not: [
      '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
      '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      '0x0000000000000000000000000000000000000000',
    ],
  },
  date_of_birth: {
    found: [
      'born on 12/05/1987',
      'DOB: 1987-05-12',
      'geboren am 12.05.1987',
      'Date of birth: May 12, 1987',
      'née le 12/05/1987',
    ],
    not: [
      'on 12/05/1987',
      'born on 31/02/1987',
      'born in Paris, and married there much later, on 12/05/1987',
    ],
  },
  us_ssn: {
    found: ['536-90-4399', '536 90 4399', '536904399', '536-904399', '53690-4399'],
    not: ['000-12-3456', '666-12-3456', '536-00-4399', '078-05-1120'],
  },
  us_itin: { found: ['912-70-1234', '912701234'], not: ['912-69-1234', '912-93-1234'] },
  us_passport: { found: ['C03005988', '340020013'], not: ['C0300598', 'CC3005988'] },
  us_driver_license: { found: ['D1234567', 'S530460090234'], not: ['DRIVING'] },
  us_aba_routing: { found: ['021000021', '0210-0002-1'], not: ['021000022', '991000021', '000000000'] },
  us_mbi: {
    found: ['1EG4-TE5-MK72', '1EG4TE5MK72'],
    not: ['1EG4-TE5MK72', '0EG4-TE5-MK72', '1SG4-TE5-MK72'],
  },
  us_npi: { found: ['1234567893'], not: ['1234567894', '3234567893'] },
  us_dea: { found: ['AB1234563', 'F91234563'], not: ['AB1234564', 'NB1234563'] },
  ca_sin: { found: ['193-456-787', '193456787'], not: ['193-456-788', '893-456-787', '193-456 787'] },
  uk_nhs: { found: ['943 476 5919', '9434765919'], not: ['943 476 5918'] },
  uk_nino: {
    found: ['JG 10 37 59 A', 'jg103759a'],
    not: ['DG 10 37 59 A', 'GB 10 37 59 A', 'JG 10 37 59 E'],
  },
  uk_passport: { found: ['PN1234567'], not: ['PN123456'] },
  uk_driving_licence: { found: ['SMITH711215JA9AB'], not: ['SMITH713215JA9AB', 'SMITH711355JA9AB'] },
  uk_vehicle_registration: { found: ['LB07 SEO', 'B76 NTL', 'ABC 321A'], not: ['LB00 SEO'] },
  uk_postcode: { found: ['EC2V 7HN', 'W1A 1HQ'], not: ['EC2V 7CN', '1AA 1HQ'] },
  es_nif: { found: ['00000014Z', '87654321-X'], not: ['00000014A'] },
  es_nie: { found: ['X1234567L', 'z-1234567-r'], not: ['X1234567M', 'W1234567L'] },
  es_passport: { found: ['ABC123456'], not: ['AB123456'] },
  it_fiscal_code: { found: ['RSSMRA85T10A562S'], not: ['RSSMRA85T10A562', '1SSMRA85T10A562S'] },
  it_vat: { found: ['00743110157', 'IT00743110157'], not: ['00743110158', '00000000000'] },
  it_driver_license: { found: ['AB1234567C', 'U1X4Y73H6Z'], not: ['U1A4Y73H6Z'] },
  it_identity_card: { found: ['CA12345AB', 'AX1234567', '1234567AB'], not: ['CA1234AB'] },
  it_passport: { found: ['YA1234567'], not: ['Y1234567'] },
  de_tax_id: { found: ['86095742719', '47 036 892 816'], not: ['86095742718', '11112345678'] },
  de_tax_number: { found: ['93/815/08152', '2893081508152'], not: ['9/815/08152', '9993081508'] },
  de_vat: { found: ['DE136695976', 'DE 136 695 976'], not: ['DE136695977'] },
  de_social_security: { found: ['15070649C103'], not: ['15070649C104', '15320649C103'] },
  de_health_insurance: { found: ['A123456780'], not: ['A123456781'] },
  de_id_card: { found: ['L01X00T471', 'T220001293'], not: ['T220001294', 'ABCDEFGHI'] },
  de_passport: { found: ['C01X00T478'], not: ['C01X00T479'] },
  de_driving_licence: { found: ['AB12345678C'], not: ['AB1234567C'] },
  de_lanr: { found: ['123456601'], not: ['123456701'] },
  de_bsnr: { found: ['381234500'], not: ['101234500'] },
  de_commercial_register: { found: ['HRB 98765', 'HRA 1234 B'], not: ['HRX 98765'] },
  de_vehicle_registration: { found: ['M-AB 1234', 'HH AB 123E'], not: ['MABC 1234'] },
  de_postcode: { found: ['10115'], not: ['00100', '101155'] },
  fi_personal_identity_code: { found: ['131052-308T', '010101A123N'], not: ['131052-308U', '320152-308T'] },
  fr_nir: {
    found: ['2 55 08 14 168 025 38', '255081416802538'],
    not: ['255081416802539', '255131416802538'],
  },
  fr_passport: { found: ['12AB34567'], not: ['1AB34567'] },
  nl_bsn: { found: ['111222333'], not: ['111222334', '000000000'] },
  pl_pesel: { found: ['44051401359'], not: ['44051401358', '44131401359'] },
  pl_nip: { found: ['123-456-32-18', '1234563218'], not: ['123-456-32-19'] },
  se_personnummer: {
    found: ['811218-9876', '19811218-9876', '811278-9873'],
    not: ['811218-9875', '811318-9876'],
  },
  se_organisationsnummer: { found: ['556036-0793'], not: ['556036-0794'] },
  in_aadhaar: { found: ['2341 2341 2346', '234123412346'], not: ['2341 2341 2347', '1341 2341 2346'] },
  in_pan: { found: ['AFZPK7190K'], not: ['AFZPK719K', 'AFZPK71900'] },
  in_gstin: { found: ['27AAPFU0939F1ZV'], not: ['45AAPFU0939F1ZV', '27AAPFU0939F1AV'] },
  in_passport: { found: ['J8369854'], not: ['J0369854', 'Q8369854'] },
  in_voter: { found: ['YCV0464230'], not: ['YC0464230'] },
  in_vehicle_registration: { found: ['KA 05 MH 1234'], not: ['XX 05 MH 1234'] },
  au_abn: { found: ['53 004 085 616'], not: ['53 004 085 617'] },
  au_acn: { found: ['004 085 616', '004085616'], not: ['004085617'] },
  au_tfn: { found: ['123 456 782', '876543210'], not: ['123 456 783'] },
  au_medicare: { found: ['2123 45670 1', '2950987880'], not: ['2123 45680 1'] },
  sg_nric_fin: { found: ['S1234567D', 'F1234567N'], not: ['S1234567E'] },
  sg_uen: {
    found: ['53125226D', '201434292D', 'T08GB0046G'],
    not: ['53125226E', '201434292E', 'T08GB0046H'],
  },
  kr_rrn: { found: ['950501-1234567'], not: ['951301-1234567', '950501-5234567'] },
  kr_frn: { found: ['950501-5234567'], not: ['950501-1234567'] },
  kr_brn: { found: ['124-81-00998', '1248100998'], not: ['124-81-00997'] },
  kr_driver_license: { found: ['11-98-123456-01'], not: ['30-98-123456-01', '11-98 123456-01'] },
  kr_passport: { found: ['M12345678', 'M123A4567'], not: ['M1234567'] },
  th_tnin: { found: ['1101700203450', '1-1017-00203-45-0'], not: ['1101700203451', '9101700203450'] },
  ng_nin: { found: ['23412341235'], not: ['23412341238'] },
  ng_vehicle_registration: { found: ['ABC-123DE'], not: ['AB-1234DE'] },
  br_cpf: { found: ['529.982.247-25', '52998224725'], not: ['529.982.247-26', '111.111.111-11'] },
  br_cnpj: { found: ['11.222.333/0001-81', '12.ABC.345/01DE-35'], not: ['11.222.333/0001-82'] },
  za_id_number: { found: ['8001015009087'], not: ['8001015009088', '8013015009087'] },
  ph_tin: { found: ['123-456-782-000'], not: ['123-456-787-000'] },
  tr_national_id: { found: ['10000000146'], not: ['10000000147', '00000000146'] },
  tr_license_plate: { found: ['34 ABC 12'], not: ['82 ABC 12'] },
}

describe.each(Object.entries(examples))('%s', (type, { found, not }) => {
  test('is found where it is named', async () => {
    const scanner = new Scanner(await piiRecognizers({ types: [type as PIIType] }))
    for (const text of found) {
      const detections = scanner.detect(`(${text}).`)
      expect({ text, types: detections.map((each) => each.type) }).toEqual({ text, types: [type] })
    }
    for (const text of not) expect({ text, found: scanner.detect(`(${text}).`) }).toEqual({ text, found: [] })
  })
})

/** As people group them besides. */
const grouped: Partial<Record<PIIType, string[]>> = {
  phone: ['(+49) 30 901820', '(+1) 212-555-0199', '+44(0)2079460958'],
  au_abn: ['53-004-085-616'],
  au_tfn: ['123-456-782'],
  br_cpf: ['529 982 247 25', '529.982.247.25'],
  ca_sin: ['607.814.399'],
  de_social_security: ['22-510861-V-909', '22.510861 V 909'],
  de_tax_id: ['50-481-755-966', '50.481.755.966'],
  de_vat: ['DE.364740676'],
  es_nie: ['X-1.208.874-V'],
  es_nif: ['98.703.042-Z', '98.703.042 Z'],
  it_fiscal_code: ['VEX BDH 60S29 J533V'],
  it_vat: ['it83086905235'],
  kr_brn: ['124 81 00998'],
  kr_rrn: ['240329 1503127', '240329 - 1503127'],
  ng_nin: ['7225 346 6777'],
  nl_bsn: ['335 368 888', '3353-68-888'],
  ph_tin: ['153 632 197'],
  pl_nip: ['895-76-25-489', '895 762 54 89', 'PL 8957625489'],
  se_organisationsnummer: ['SE805324848301'],
  se_personnummer: ['811218 9876'],
  sg_nric_fin: ['S-5823759-J'],
  th_tnin: ['5 8452 88158 82 1'],
  tr_national_id: ['815 846 759 14'],
  uk_nhs: ['906.072.3635'],
  uk_nino: ['RY 759 539 D'],
  us_itin: ['991.55.4702'],
  za_id_number: ['380513 9122 286', '380513 9122 28 6'],
}

test.each(Object.entries(grouped))('%s is found however it is grouped', async (type, values) => {
  const scanner = new Scanner(await piiRecognizers({ types: [type as PIIType] }))
  for (const value of values) {
    const found = scanner.detect(`My number is ${value}.`)
    expect({ value, found: found.map(({ start, end }) => end - start) }).toEqual({
      value,
      found: [value.length],
    })
  }
})

test('one of a row of groups of digits is none by itself', async () => {
  const scanner = new Scanner(await piiRecognizers())
  expect(scanner.detect('690 903 529')).toMatchObject([{ type: 'phone' }])
  expect(scanner.detect('690 903 529 287')).toEqual([])
  expect(scanner.detect('287 690 903 529')).toEqual([])
  expect(scanner.detect('5816 4212 1719')).toMatchObject([{ type: 'in_aadhaar' }])
  expect(scanner.detect('5816 4212 1719 7291')).toEqual([])
})

describe('recognizers of personal data', () => {
  test('cover the whole value, and no more', async () => {
    const scanner = new Scanner(await piiRecognizers())
    const text =
      'Mail jo@example.com, card 4111 1111 1111 1111, IBAN GB82 WEST 1234 5698 7654 32 in London, from 2001:db8::1.'
    expect(scanner.detect(text).map(({ start, end }) => text.slice(start, end))).toEqual([
      'jo@example.com',
      '4111 1111 1111 1111',
      'GB82 WEST 1234 5698 7654 32',
      '2001:db8::1',
    ])
  })

  test('find a form that other things have too by a word before it, never by one after it', async () => {
    const scanner = new Scanner(await piiRecognizers())
    expect(scanner.detect('My passport number is C03005988')).toMatchObject([{ start: 22, end: 31 }])
    expect(scanner.detect('C03005988 is my passport number')).toEqual([])
    expect(scanner.detect('Part C03005988')).toEqual([])
    expect(scanner.detect('Please call me at 467 3395')).toMatchObject([{ type: 'phone' }])
    expect(scanner.detect('It weighs 467 3395')).toEqual([])
  })

  test('doubt a number that the words before it name as something else', async () => {
    const scanner = new Scanner(await piiRecognizers({ regions: ['DE'] }))
    expect(scanner.detect('86095742719')).toMatchObject([{ type: 'de_tax_id' }])
    expect(scanner.detect('Invoice no. 86095742719')).toEqual([])
    expect(scanner.detect('Running version 1.2.3.4')).toEqual([])
  })

  test('leave the numbers of ordinary text alone', async () => {
    const scanner = new Scanner(await piiRecognizers())
    const text = `On 2024-05-06 at 12:30:45 we sold 1,234,567 items for $19.99 (SKU 00123456789), 12.5 % more than in
      1998-2003; ISBN 978-3-16-148410-0, commit 3f2a9c1b04d2e5f60718293a4b5c6d7e8f901234, build 20240506.1,
      id 123e4567-e89b-12d3-a456-426614174000, 1024x768, RFC 5321, 16:9, std::map<int>, a == b, 10000000 users,
      timestamp 1714979445123, π = 3.14159265358979, v1.2.3-rc.4, order 66, room 101, HTTP/1.1 404.`
    expect(scanner.detect(text)).toEqual([])
  })

  test('are those of the regions and types asked for', async () => {
    expect(
      (await piiRecognizers({ types: ['us_ssn', 'es_nif'], regions: ['US'] })).map(({ type }) => type),
    ).toEqual(['us_ssn'])
    const types = new Set((await piiRecognizers({ regions: ['FI'] })).map(({ type }) => type))
    expect([...types].filter((type) => /^[a-z]{2}_/.test(type) && type !== 'ip_address')).toEqual([
      'fi_personal_identity_code',
    ])
  })

  test('have the types that are listed', async () => {
    for (const region of PII_REGIONS) {
      const types = new Set((await COUNTRIES[region as PIIRegion]()).map(({ type }) => type))
      expect([...types]).toEqual([...NATIONAL_TYPES[region as PIIRegion]])
    }
    const all = new Set((await piiRecognizers({ types: PII_TYPES })).map(({ type }) => type))
    expect([...all].sort()).toEqual([...PII_TYPES].sort())
  })

  test('are refused by unknown names', () => {
    expect(() => checkSelection({ types: ['us_sn' as 'us_ssn'] })).toThrow(MillraceError)
    expect(() => checkSelection({ regions: ['UK' as 'GB'] })).toThrow(/regions has 'UK'/)
  })
})
