import type { PatternRecognizer } from '@millrace/guards/scanner'
import { alphanumericOf } from '../checksum/digits.ts'
import { evidence } from '../evidence.ts'
import { country } from './country.ts'

/** Identifiers of Spain. */
export const es: PatternRecognizer[] = country('ES', [
  {
    type: 'es_nif',
    pattern: /\b(?:\d{7,8}|\d{1,2}[. ]\d{3}[. ]\d{3}|[KLM]\d{7})(?:[- .]?| - )[A-Z]\b/i,
    score: (candidate) =>
      !/^0{5}\d{2}[A-Z]$/i.test(candidate) && hasControlLetter(candidate.replace(/^[KLM]/i, '')) ? 0.75 : 0,
    context: [
      'dni',
      'nif',
      'd.n.i',
      'n.i.f',
      'documento nacional de identidad',
      'identificación',
      'identificacion',
    ],
  },
  {
    type: 'es_nie',
    pattern: /\b[XYZ][- .]?(?:\d{7}|\d\.\d{3}\.\d{3})[- .]?[A-Z]\b/i,
    score: (candidate) => {
      const digits = candidate.replace(/^[XYZ]/i, (letter) => String('XYZ'.indexOf(letter.toUpperCase())))
      return hasControlLetter(digits) ? 0.9 : 0
    },
    context: ['nie', 'número de identificación de extranjero', 'extranjero', 'identificación'],
  },
  {
    type: 'es_passport',
    pattern: /\b[A-Z]{3}\d{6}\b/i,
    score: evidence.format,
    context: ['pasaporte', 'passport', 'número de pasaporte'],
  },
])

/** Royal Decree 1553/2005: the remainder modulo 23 is the index of the letter. */
function hasControlLetter(candidate: string): boolean {
  const text = alphanumericOf(candidate)
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(text.slice(0, -1)) % 23] === text.at(-1)
}
