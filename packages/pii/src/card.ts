import type { PatternRecognizer } from '@millrace/guards/scanner'
import { digitsOf, hasLineBreaks, isRepetition } from './checksum/digits.ts'
import { passesLuhn } from './checksum/luhn.ts'
import { evidence } from './evidence.ts'

/**
 * Payment card numbers (ISO/IEC 7812-1): the prefix and length of an issuer, and the Luhn check digit. May contain one
 * line break.
 */
export const card: PatternRecognizer[] = [
  {
    type: 'credit_card',
    pattern:
      /(?<![\w.+])(?:\d{12,19}(?![\w-])|\d{4}(?:-(?:\r?\n)?\d{4}){3}(?:-\d{1,3})?|\d{4}(?:\.\d{4}){3}|\d{4}(?:\/\d{4}){3}|\d{4}(?:_\d{4}){3}|\d{4}(?: - \d{4}){3}|\d{4}(?:(?: {1,2}| ?\r?\n)\d{4}){3}(?: \d{1,3})?|\d{4}(?:[- ]|[- ]?\r?\n)\d{6}(?:[- ]|[- ]?\r?\n)\d{4,5})\b/,
    score: (candidate) => {
      const digits = digitsOf(candidate)
      if (hasLineBreaks(candidate) || !passesLuhn(digits) || isRepetition(digits)) return 0
      return ISSUERS.some(({ prefix, lengths }) => prefix.test(digits) && lengths.includes(digits.length))
        ? evidence.certain
        : evidence.format
    },
    context: [
      ...'card cards credit debit visa mastercard amex maestro cc pan karte kreditkarte kartennummer carte cb tarjeta carta'.split(
        ' ',
      ),
      ...'cartão creditcard kaart karta karty kart kartı karte kortnummer kort карта карты карте карту'.split(
        ' ',
      ),
      ...'卡号 信用卡 银行卡 卡片 カード 카드 بطاقة البطاقة कार्ड'.split(' '),
    ],
  },
]

const MAESTRO_LENGTHS = [12, 13, 14, 15, 16, 17, 18, 19]

const ISSUERS: readonly { prefix: RegExp; lengths: readonly number[] }[] = [
  // Visa
  { prefix: /^4/, lengths: [13, 16, 19] },
  // Mastercard
  { prefix: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] },
  // American Express
  { prefix: /^3[47]/, lengths: [15] },
  // Diners Club
  { prefix: /^3(?:0[0-59]|[689])/, lengths: [14, 16, 19] },
  // Discover, RuPay
  { prefix: /^6(?:011|4[4-9]|5)/, lengths: [16, 19] },
  { prefix: /^(?:60|508|8[12])/, lengths: [16] },
  // JCB, and its first cards
  { prefix: /^35(?:2[89]|[3-8])/, lengths: [16, 17, 18, 19] },
  { prefix: /^(?:2131|1800)/, lengths: [15] },
  // UnionPay
  { prefix: /^62/, lengths: [16, 17, 18, 19] },
  // Dankort
  { prefix: /^5019/, lengths: [16] },
  // Maestro
  { prefix: /^(?:50(?:18|20|38)|5[678]|6304|67)/, lengths: MAESTRO_LENGTHS },
  // Mir, Troy
  { prefix: /^(?:220[0-4]|9792)/, lengths: [16, 19] },
]
