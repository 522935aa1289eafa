import { Scanner } from '@millrace/guards/scanner'
import { describe, expect, test } from 'vitest'
import { piiRecognizers } from './recognizers.ts'

const scanner = await Scanner.load(await piiRecognizers())

/** What is found in a text, by type and value. */
function found(text: string): string[] {
  return scanner.detect(text).map(({ type, start, end }) => `${type} ${text.slice(start, end)}`)
}

describe('telephone numbers by the words of many languages, as they are written there', () => {
  test.each([
    ['我的手机号是13912345678，请打给我。', '13912345678'],
    ['联系电话 139-1234-5678', '139-1234-5678'],
    ['Nummer 139 1234 5678', '139 1234 5678'],
    ['Позвоните мне: 8 (916) 123-45-67', '8 (916) 123-45-67'],
    ['тел. 8 916 123 45 67', '8 916 123 45 67'],
    ['Перезвони 89161234567', '89161234567'],
    ['llámame al 612345679', '612345679'],
    ['Llame al 91 123 45 67', '91 123 45 67'],
    ['zadzwoń 512345679', '512345679'],
    ['هاتف: 0501234567', '0501234567'],
    ['Call [212] 555-0147 now', '[212] 555-0147'],
    ['https://example.com/?x=1&phone=%2B442079460958&y=2', '%2B442079460958'],
    ['https://example.com/?tel=+44%2020%207946%200958', '+44%2020%207946%200958'],
    ['https://example.com/call?mobile=2125550147', '2125550147'],
  ])('%s', (text, value) => {
    expect(found(text)).toEqual([`phone ${value}`])
  })

  test.each([
    'order 13912345678 shipped',
    'id=13912345678',
    '139 1234 5678 9012 3456',
    'https://example.com/?telescope=2125550147',
    'https://example.com/?tel=0000000000',
    'Kanal 8 916 123 456 789',
  ])('%s has none', (text) => {
    expect(found(text)).toEqual([])
  })
})

describe('dates of birth', () => {
  test.each([
    ['Дата рождения: 12.03.1985', '12.03.1985'],
    ['родился 12 марта 1985 года', '12 марта 1985'],
    ['生日是1985年3月12日', '1985年3月12日'],
    ['誕生日: 1985/03/12', '1985/03/12'],
    ['تاريخ الميلاد: 12/03/1985', '12/03/1985'],
    ['ولدت في 12 مارس 1985', '12 مارس 1985'],
    ['nata a Roma il 12/03/1985', '12/03/1985'],
    ['urodzony 12 marca 1985', '12 marca 1985'],
    ['doğum tarihi 12 Mart 1985', '12 Mart 1985'],
  ])('%s', (text, value) => {
    expect(found(text)).toEqual([`date_of_birth ${value}`])
  })

  test.each(['Встреча 12 марта 1985 года', '会议是1985年3月12日', 'الاجتماع 12 مارس 1985'])(
    '%s is another date',
    (text) => {
      expect(found(text)).toEqual([])
    },
  )
})

describe('passports', () => {
  test.each([
    ['паспорт 45 08 123456', '45 08 123456'],
    ['Паспорт: серия 4508 номер 123456', '4508 номер 123456'],
    ['パスポート番号: TR1234567', 'TR1234567'],
    ['旅券番号 TK1234567', 'TK1234567'],
    ['رقم جواز السفر: A12345678', 'A12345678'],
    ['护照号码：E12345678', 'E12345678'],
    ['paszport nr ZS0000177', 'ZS0000177'],
  ])('%s', (text, value) => {
    expect(found(text)).toEqual([`passport ${value}`])
  })

  test('one of a country that is known keeps its own type', () => {
    expect(found('passaporto: YA1234567')).toEqual(['it_passport YA1234567'])
  })

  test.each(['серийный номер A12345678', 'flight TR1234567', 'The passport office, room 12, opens at 8'])(
    '%s is none',
    (text) => {
      expect(found(text).filter((each) => each.startsWith('passport'))).toEqual([])
    },
  )
})

describe('over one line break', () => {
  test.each([
    ['credit_card', '4111 1111\n1111 1111'],
    ['credit_card', '4111-1111-1111-\r\n1111'],
    ['iban', 'GB29 NWBK 6016\n1331 9268 19'],
    ['iban', 'DE89 3704 0044\r\n0532 0130 00'],
    ['phone', '+44 20 7946\n0958'],
    ['phone', '+1 (212)\n  555-0147'],
  ])('%s', (type, value) => {
    expect(found(`Here: ${value} .`)).toEqual([`${type} ${value}`])
  })

  test('a column of numbers is none', () => {
    expect(found('4111\n1111\n1111\n1111')).toEqual([])
    expect(found('GB29\nNWBK\n6016\n1331\n9268\n19')).toEqual([])
  })
})

test.each([
  'see clause 10.2.3.4 of the contract',
  'Sections 4.1.2.3 and § 12.3.4.5',
  'OID 1.3.6.1.4.1.311, or 1.3.6.1.4.1 for short',
  'Kapitel 1.2.3.4 beschreibt es',
  'пункт 3.2.1.4 договора',
  'numpy==1.26.4.0',
])('%s has no address of a network', (text) => {
  expect(found(text)).toEqual([])
})

test('an address at the end of a sentence is one', () => {
  expect(found('It came from 203.0.113.7.')).toEqual(['ip_address 203.0.113.7'])
})

test.each(['ff:ff:ff:ff:ff:ff', 'FF-FF-FF-FF-FF-FF', '00:00:00:00:00:00', '0000.0000.0000'])(
  "%s is no device's address",
  (text) => {
    expect(found(`MAC ${text}`)).toEqual([])
  },
)
