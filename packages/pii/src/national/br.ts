import type { PatternRecognizer } from '@millrace/guards/scanner'
import { base36Value, isRepetition } from '../checksum/digits.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of Brazil: each has two check digits modulo 11 (Receita Federal). */
export const br: PatternRecognizer[] = country('BR', [
  {
    type: 'br_cpf',
    pattern: /\b\d{3}(?:[. -]\d{3}[. -]\d{3}[. -]|\d{6}-?)\d{2}\b|\b\d{3}\.\d{3}\.\d{3}\/\d{2}\b/,
    score: (candidate) =>
      hasCheckDigits(candidate, 12) ? (candidate.length > 11 ? evidence.certain : 0.6) : 0,
    context: ['cpf', 'c.p.f', 'cadastro de pessoas físicas', 'cadastro de pessoa física'],
  },
  {
    // May have letters since July 2026: their value is the code point minus 48.
    type: 'br_cnpj',
    pattern:
      /\b[0-9A-Z]{2}(?:[. ][0-9A-Z]{3}[. ][0-9A-Z]{3}[/ -][0-9A-Z]{4}[- /]|\d{10}|\d{6}\/\d{4}-)\d{2}\b/,
    score: (candidate) =>
      hasCheckDigits(candidate, 9) ? (candidate.length > 14 ? evidence.certain : evidence.format) : 0,
    context: ['cnpj', 'c.n.p.j', 'cadastro nacional da pessoa jurídica'],
  },
])

function hasCheckDigits(candidate: string, highest: number): boolean {
  const text = candidate.replace(/[./ -]/g, '')
  if (isRepetition(text)) return false
  const body = text.slice(0, -2)
  const first = checkDigit(body, highest)
  return text.endsWith(`${first}${checkDigit(`${body}${first}`, highest)}`)
}

/** Weights from 2 upwards, starting at the last character and restarting after the highest. */
function checkDigit(body: string, highest: number): number {
  let [sum, weight] = [0, 2]
  for (let index = body.length - 1; index >= 0; index--) {
    const value = base36Value(body.charAt(index))
    sum += weight * (value > 9 ? value + 7 : value)
    weight = weight === highest ? 2 : weight + 1
  }
  return sum % 11 < 2 ? 0 : 11 - (sum % 11)
}
