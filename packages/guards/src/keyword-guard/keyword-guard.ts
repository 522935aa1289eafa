import { MillraceError, type OptionNames, requireOptions } from '@millrace/core'
import { GUARD_OPTIONS, type GuardOptions, mask } from '../guard/options.ts'
import { TextGuard } from '../guard/text-guard.ts'
import { type RegexRule, regexRecognizer, regexRules } from '../regex-filter/regex-rule.ts'
import { Scanner, type TreeRecognizer } from '../scanner/scanner.ts'
import { keywordRecognizer } from './keyword-pattern.ts'

export interface KeywordGuardOptions extends GuardOptions {
  /** Words or phrases. Case, width, ligatures, invisible characters and the kind of white space make no difference. */
  readonly keywords?: readonly string[]
  /** Regular expressions or rules, as RegexFilter takes them. */
  readonly patterns?: readonly (RegExp | RegexRule)[]
  /**
   * Match keywords only as whole words. In scripts without spaces, such as Chinese and Thai, keywords are always found
   * within words. Default: `true`.
   */
  readonly wholeWords?: boolean
  /**
   * What `redact` puts in place of a keyword, or of a match of a rule without a replacement. Default: `'[REDACTED]'`.
   */
  readonly replacement?: string
}

const KEYWORD_GUARD_OPTIONS: OptionNames<KeywordGuardOptions> = {
  ...GUARD_OPTIONS,
  keywords: 'optional',
  patterns: 'optional',
  wholeWords: 'optional',
  replacement: 'optional',
}

const PATTERN = 'pattern-'

/** Finds keywords in all their spellings, and matches of patterns. Blocks them by default. */
export class KeywordGuard extends TextGuard {
  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: KeywordGuardOptions) {
    const {
      keywords = [],
      patterns = [],
      wholeWords = true,
      replacement = mask({ type: 'keyword' }),
      ...options
    } = requireOptions('KeywordGuard', given, KEYWORD_GUARD_OPTIONS)
    const rules = regexRules('KeywordGuard', patterns)
    const recognizers = [
      ...keywordRecognizers(keywords, wholeWords),
      ...rules.map((rule, index) =>
        regexRecognizer(rule, { type: rule.type ?? 'keyword', id: `${PATTERN}${index}` }),
      ),
    ]
    if (recognizers.length === 0) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'KeywordGuard has no keywords or patterns. Pass at least one.',
      )
    }
    super({
      id: 'keyword-guard',
      strategy: 'block',
      label: 'A keyword was',
      ...options,
      scanner: new Scanner(recognizers),
      replacement: ({ recognizer }) =>
        (recognizer.startsWith(PATTERN)
          ? rules[Number(recognizer.slice(PATTERN.length))]?.replacement
          : undefined) ?? replacement,
    })
  }
}

function keywordRecognizers(keywords: readonly string[], wholeWords: boolean): TreeRecognizer[] {
  if (!Array.isArray(keywords))
    throw invalid(
      `keywords of KeywordGuard is of type ${typeof keywords}. Pass an array of words and phrases.`,
    )
  return keywords.map((keyword: unknown, index) => {
    if (keyword instanceof RegExp)
      throw invalid(`keywords[${index}] of KeywordGuard is a regular expression. Pass it in patterns.`)
    if (typeof keyword !== 'string') {
      const what = keyword === null ? 'null' : `of type ${typeof keyword}`
      throw invalid(`keywords[${index}] of KeywordGuard is ${what}. Pass a string: a word or a phrase.`)
    }
    const recognizer = keywordRecognizer(keyword, { type: 'keyword', id: `keyword-${index}`, wholeWords })
    if (recognizer) return recognizer
    throw invalid(`keywords[${index}] of KeywordGuard is empty. Remove it, or pass a word.`)
  })
}

function invalid(message: string): MillraceError {
  return new MillraceError('CONFIG_INVALID', message)
}
