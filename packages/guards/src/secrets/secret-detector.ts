import { type OptionNames, requireOptions } from '@millrace/core'
import { GUARD_OPTIONS, type GuardOptions } from '../guard/options.ts'
import { type Redaction, replacementOf } from '../guard/redaction.ts'
import { once } from '../guard/surface-guard.ts'
import { TextGuard } from '../guard/text-guard.ts'
import { RECOGNIZER, type Recognizer } from '../scanner/recognizer.ts'
import { Scanner } from '../scanner/scanner.ts'
import { secretRecognizers } from './recognizers.ts'

export interface SecretDetectorOptions extends GuardOptions {
  /**
   * What `redact` puts in place of a secret. `'mask'` and `'placeholder'`: `[REDACTED]`. `'type'`: the type, as in
   * `[PRIVATE_KEY]`. `'remove'`: nothing. Or a function of the detection and the value, which must not keep the value;
   * for private keys and JWTs it gets only the beginning of the value. Default: `'mask'`.
   */
  readonly redaction?: Redaction
  /** Recognizers of your own, in addition. */
  readonly recognizers?: readonly Recognizer[]
}

const SECRET_DETECTOR_OPTIONS: OptionNames<SecretDetectorOptions> = {
  ...GUARD_OPTIONS,
  redaction: 'optional',
  recognizers: RECOGNIZER,
}

/** One scanner for all detectors, which share its automaton. */
const loadShared = once(async () => Scanner.load(await secretRecognizers()))

/**
 * Finds keys and tokens of providers, private keys, JWTs, passwords in connection strings, and values of high entropy
 * that are assigned to a name such as `secret`. Redacts them by default. Hashes, identifiers and placeholders are left
 * alone. The recognizers are loaded on first use.
 */
export class SecretDetector extends TextGuard {
  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: SecretDetectorOptions = {}) {
    const {
      redaction = 'mask',
      recognizers = [],
      ...options
    } = requireOptions('SecretDetector', given, SECRET_DETECTOR_OPTIONS)
    super({
      id: 'secret-detector',
      label: 'A secret was',
      ...options,
      replacement: replacementOf(redaction),
      scanner:
        recognizers.length === 0
          ? async () => loadShared()
          : async () => Scanner.load([...(await secretRecognizers()), ...recognizers]),
    })
  }
}
