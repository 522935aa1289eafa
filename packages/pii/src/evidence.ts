/**
 * Scores of candidates without context words. A finding needs 0.5, or the detector's `threshold`; a context word adds
 * 0.35.
 */
export const evidence = {
  /** A checksum of two or more digits, or a unique form. */
  certain: 0.95,
  /** A distinctive form, or a form with a check digit. */
  likely: 0.7,
  /** A form that other things also have: found only after a context word, or if its type is named. */
  format: 0.4,
  /** An unspecific form: found only after a context word. */
  faint: 0.2,
} as const

/** Words that identify the following number as something else, by language. */
const OTHER_THINGS = [
  'order|invoice|ticket|tracking|waybill|awb|shipment|parcel|fedex|ups|usps|dhl|ref|reference|isbn(?:-1[03])?|issn|doi|arxiv',
  'pmid|cas|sku|gtin|ean|upc|imei|iccid|vin|pnr|version|release|build|revision|commit|serial|part|article|item|batch|lot|page',
  'line|port|case|claim|docket|job|quote|booking|reservation|confirmation|contract|policy|asset|model|product|catalog(?:ue)?',
  'transaction|txn|receipt|voucher|coupon|barcode|meter|zip|protocol|licen[cs]e key',
  'rechnung|bestellung|bestell|auftrag|aktenzeichen|vorgang|sendung|artikel|serien|vertrag|zählerstand|beleg',
  'facture|commande|dossier|réf|référence|colis|contrat|devis|suivi',
  'factura|pedido|referencia|expediente|albarán|envío|contrato|seguimiento',
  'fattura|ordine|pratica|riferimento|spedizione|protocollo|contratto|bolla',
  'fatura|encomenda|protocolo|processo|nota fiscal|rastreio',
  'factuur|bestelling|bestel|zaak|zending|kenmerk',
  'faktur[aey]|zamówieni[ae]|spraw[ay]|sygnatura|przesyłk[ai]|umow[ay]',
  'заказ|заказа|сч[её]т|сч[её]та|накладн\\p{L}{1,3}|дел[оа]|договора?|заявк[аи]|артикул',
  'sipariş|takip|dosya',
  '(?:رقم )?(?:الطلب|الفاتورة|التتبع|الشحنة)',
]
/** Words for customers: they identify a number as something else only if followed by a word for "number". */
const OTHER_NUMBERS = '(?:customer|client|cliente|kunden|klant|klienta|müşteri|клиента)[-\\s_]?'
const NUMBER = '(?:no|nr|num|number|numero|número|numéro|nummer|numer|numarası|id|code|номер|n[°º]|№)'
const OTHER_NUMBER = new RegExp(
  `(?:(?<!\\p{L})(?:(?:${OTHER_THINGS.join('|')})(?:s?[-\\s_]?${NUMBER})?|${OTHER_NUMBERS}${NUMBER})` +
    '|(?:订单|訂單|发票|發票|快递|注文|請求書?|伝票|追跡|주문|송장) ?(?:编?号|編?號|番号|번호)?)' +
    '\\.?\\s{0,2}[:：#=№]?\\s{0,2}#?$',
  'iu',
)

/** The maximum length of such words with the text up to the number, in UTF-16 units. */
const OTHER_NUMBER_REACH = 36

/**
 * Whether the last letter or digit is a letter. Avoids a regular expression: it is called for every candidate in a text
 * of digits.
 */
function endsInWord(before: string): boolean {
  for (let place = before.length - 1; place >= 0; place--) {
    const code = before.charCodeAt(place)
    if (isDigit(code)) return false
    if (((code | 0x20) >= 0x61 && (code | 0x20) <= 0x7a) || code >= FIRST_OTHER_LETTER) return true
  }
  return false
}

const FIRST_OTHER_LETTER = 0xaa

/** The candidate is within a UUID (RFC 9562), or follows a decimal point. */
const INSIDE_ANOTHER = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){0,3}$|\d\.$/i

/** Whether the candidate continues a number before it, as in an ISBN. */
export function isPiece(candidate: string, before: string): boolean {
  return before.endsWith('-') && /^\d/.test(candidate) && /\d-$/.test(before)
}

/**
 * Whether a group and a colon are directly before the candidate: hexadecimal digits, as within a MAC or IPv6 address,
 * or a word with a digit, such as a name. Not `IPv6:`.
 */
export function isBehindGroup(before: string): boolean {
  return before.endsWith(':') && /(?:(?<![0-9a-z])[0-9a-f]{1,4}|(?<!ipv)\d[0-9a-z]*|:):$/i.test(before)
}

/** Whether it may be a Unix time in milliseconds, from 2017 to 2033, as in logs. */
export function isTime(candidate: string): boolean {
  return candidate.length === 13 && /^1[5-9]\d{11}$/.test(candidate)
}

/** A date and a time of day without separators, as in file names and archive URLs. */
export function isTimestamp(candidate: string): boolean {
  return (
    candidate.length === 14 &&
    /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:[01]\d|2[0-3])(?:[0-5]\d){2}$/.test(candidate)
  )
}

/** Whether the candidate's groups of digits are part of a longer row of such groups, as in a table. */
export function isInRow(candidate: string, before: string, following: string): boolean {
  const place = firstSeparator(candidate)
  if (place === candidate.length) return false
  const separator = candidate.charCodeAt(place)
  return (
    goesOnFrom(before, separator) ||
    (following.charCodeAt(0) === separator && isDigit(following.charCodeAt(1)))
  )
}

/** Whether the first group of digits, if it has fewer than `most`, continues a row before it. */
export function isWithinRow(candidate: string, before: string, most: number): boolean {
  const place = firstSeparator(candidate)
  return place < Math.min(most, candidate.length) && goesOnFrom(before, candidate.charCodeAt(place))
}

/** Avoids a regular expression: it is called at every digit of a text of digits. */
function firstSeparator(candidate: string): number {
  let place = 0
  while (place < candidate.length && !isSeparator(candidate.charCodeAt(place))) place++
  return place
}

function goesOnFrom(before: string, separator: number): boolean {
  const end = before.length - 1
  return before.charCodeAt(end) === separator && isDigit(before.charCodeAt(end - 1))
}

/** A space or a hyphen. */
function isSeparator(code: number): boolean {
  return code === 0x20 || code === 0x2d
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

/** The score, lowered by 0.35 if the words directly before identify the number as something else. */
export function loweredByContext(score: number, before: string): number {
  if (score === 0 || (/[-.]/.test(before.charAt(before.length - 1)) && INSIDE_ANOTHER.test(before))) return 0
  return endsInWord(before) && OTHER_NUMBER.test(before.slice(-OTHER_NUMBER_REACH))
    ? Math.max(0.05, score - 0.35)
    : score
}
