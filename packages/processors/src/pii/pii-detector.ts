import { MillraceError } from '@millrace/core'
import type { Replacement } from '../guard/guarded-text.ts'
import type { GuardOptions } from '../guard/options.ts'
import { type Redaction, replacementOf } from '../guard/redaction.ts'
import { TextGuard } from '../guard/text-guard.ts'
import type { Recognizer } from '../scanner/recognizer.ts'
import { Scanner } from '../scanner/scanner.ts'
import { keyedHash } from './keyed-hash.ts'
import { checkSelection, type PIISelection, piiRecognizers } from './recognizers.ts'

export interface PIIDetectorOptions extends GuardOptions, PIISelection {
  /**
   * What `redact` puts in place of a finding; `hash` a keyed hash, as in `[EMAIL_3f2a9c1b04d2]`, by which equal values
   * stay recognisable as equal. Default: `mask`.
   */
  readonly redaction?: Redaction | 'hash'
  /** The key of `hash`, which needs one. Who has it can test whether a value is a given one. */
  readonly hashKey?: string | Uint8Array
  /** Looked for besides, whatever `types` and `regions` say: names of customers, numbers of contracts. */
  readonly recognizers?: readonly Recognizer[]
  /** The lowest score that counts, from 0 to 1. Default: 0.5. */
  readonly threshold?: number
}

/**
 * Finds personal data by form, checksum and the words before it, and redacts it, unless told otherwise. It needs no
 * model. Recognisers, number plans and libraries load when it is first used.
 */
export class PIIDetector extends TextGuard {
  /** @throws MillraceError `CONFIG_INVALID` */
  constructor({
    types,
    regions,
    redaction = 'mask',
    hashKey,
    recognizers = [],
    threshold,
    ...options
  }: PIIDetectorOptions = {}) {
    const selection: PIISelection = { ...(types && { types }), ...(regions && { regions }) }
    checkSelection(selection)
    if (redaction === 'hash' && (hashKey === undefined || hashKey.length === 0)) {
      throw new MillraceError('CONFIG_INVALID', "redaction is 'hash' without a key. Pass one as hashKey.")
    }
    let replacement: Replacement = replacementOf(redaction === 'hash' ? 'type' : redaction)
    super({
      id: 'pii-detector',
      label: 'Personal data was',
      ...options,
      replacement: (detection, value) => replacement(detection, value),
      scanner: async () => {
        if (redaction === 'hash' && hashKey !== undefined) replacement = await keyedHash(hashKey)
        const known = await piiRecognizers(selection)
        return new Scanner([...known, ...recognizers], threshold === undefined ? {} : { threshold })
      },
    })
  }
}
