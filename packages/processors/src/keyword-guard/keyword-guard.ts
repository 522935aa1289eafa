import { MillraceError } from '@millrace/core'
import type { GuardOptions } from '../guard/options.ts'
import { mask } from '../guard/options.ts'
import { TextGuard } from '../guard/text-guard.ts'
import { Scanner } from '../scanner/scanner.ts'
import { keywordRecognizer } from './keyword-pattern.ts'

export interface KeywordGuardOptions extends GuardOptions {
  /** Words or phrases. Case, width, ligatures, invisible characters and the kind of white space make no difference. */
  readonly keywords: readonly string[]
  /**
   * Whether a keyword counts only as a whole word, not within one. Scripts written without spaces, such as Chinese and
   * Thai, are searched within words in any case. Default: true.
   */
  readonly wholeWords?: boolean
  /** What `redact` puts in place of a keyword. Default: `[REDACTED]`. */
  readonly replacement?: string
}

/** Finds keywords, however they are spelled. Blocks them, unless told otherwise. */
export class KeywordGuard extends TextGuard {
  /** @throws MillraceError `CONFIG_INVALID` */
  constructor({
    keywords,
    wholeWords = true,
    replacement = mask({ type: 'keyword' }),
    ...options
  }: KeywordGuardOptions) {
    const recognizers = (keywords ?? []).map((keyword, index) => {
      const recognizer = keywordRecognizer(keyword, { type: 'keyword', id: `keyword-${index}`, wholeWords })
      if (recognizer) return recognizer
      throw new MillraceError('CONFIG_INVALID', `Keyword ${index} is empty. Leave it out, or pass a word.`)
    })
    if (recognizers.length === 0) {
      throw new MillraceError('CONFIG_INVALID', 'KeywordGuard has no keywords. Pass at least one.')
    }
    super({
      id: 'keyword-guard',
      strategy: 'block',
      label: 'A keyword was',
      ...options,
      scanner: new Scanner(recognizers),
      replacement: () => replacement,
    })
  }
}
