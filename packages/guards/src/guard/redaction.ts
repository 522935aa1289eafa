import { MillraceError } from '@millrace/core'
import type { Replacement } from './edited-text.ts'
import { mask } from './options.ts'

/**
 * What `redact` puts in place of a finding. `mask`: `***@***.***` for an e-mail address, otherwise `[REDACTED]`.
 * `placeholder`: `[REDACTED]`. `type`: its type, as in `[CREDIT_CARD]`. `remove`: nothing. Or a function of the
 * detection and the value, which must not keep the value.
 */
export type Redaction = 'mask' | 'placeholder' | 'type' | 'remove' | Replacement

const REPLACEMENTS: Readonly<Record<Exclude<Redaction, Replacement>, Replacement>> = {
  mask,
  placeholder: () => '[REDACTED]',
  type: ({ type }) => `[${type.toUpperCase()}]`,
  remove: () => '',
}

/**
 * @param others Other values that the caller accepts, for the error message
 *
 * @throws MillraceError `CONFIG_INVALID`
 */
export function replacementOf(redaction: Redaction, others: readonly string[] = []): Replacement {
  if (typeof redaction === 'function') return redaction
  if (Object.hasOwn(REPLACEMENTS, redaction)) return REPLACEMENTS[redaction]
  throw new MillraceError(
    'CONFIG_INVALID',
    `redaction is '${String(redaction)}'. Use one of: ${[...Object.keys(REPLACEMENTS), ...others].join(', ')}, or a function.`,
  )
}
