import type { PatternRecognizer } from '@millrace/guards/scanner'
import { card } from './card.ts'
import { dateOfBirth } from './date-of-birth.ts'
import { email } from './email.ts'
import { iban } from './iban.ts'
import { ip } from './ip.ts'
import { mac } from './mac.ts'
import { passport } from './passport.ts'
import { url, urlWithCredentials } from './url.ts'

/** Recognizers that do not depend on a country. */
export const EVERYWHERE: readonly PatternRecognizer[] = [
  ...email,
  ...card,
  ...iban,
  ...ip,
  ...mac,
  ...urlWithCredentials,
  ...dateOfBirth,
  ...passport,
]

/** Recognizers that are only used if their type is named: in most texts, their matches are not personal data. */
export const ON_REQUEST: readonly PatternRecognizer[] = url
