import type { PatternRecognizer } from '@millrace/guards/scanner'
import { card } from './card.ts'
import { dateOfBirth } from './date-of-birth.ts'
import { email } from './email.ts'
import { iban } from './iban.ts'
import { ip } from './ip.ts'
import { mac } from './mac.ts'
import { passport } from './passport.ts'
import { url, urlWithCredentials } from './url.ts'

/** What has one form everywhere. */
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

/** What is no personal data in most texts: looked for only where its type is named. */
export const ON_REQUEST: readonly PatternRecognizer[] = url
