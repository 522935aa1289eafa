import { MillraceError, type OptionNames, requireOptions } from '@millrace/core'
import { GUARD_OPTIONS, type GuardOptions, mask } from '../guard/options.ts'
import { TextGuard } from '../guard/text-guard.ts'
import { Scanner } from '../scanner/scanner.ts'
import { type RegexRule, regexRecognizer, regexRules } from './regex-rule.ts'

const RULE = 'rule-'

export interface RegexFilterOptions extends GuardOptions {
  /** Regular expressions, or rules `{ pattern, type, replacement, maxLength }`. */
  readonly patterns: readonly (RegExp | RegexRule)[]
  /** What `redact` puts in place of a match of a rule without a replacement. Default: `'[REDACTED]'`. */
  readonly replacement?: string
}

const REGEX_FILTER_OPTIONS: OptionNames<RegexFilterOptions> = {
  ...GUARD_OPTIONS,
  patterns: 'required',
  replacement: 'optional',
}

/** Finds matches of regular expressions. Blocks them by default. */
export class RegexFilter extends TextGuard {
  /** @throws MillraceError `CONFIG_INVALID` if a pattern cannot run in linear time. */
  constructor(given: RegexFilterOptions) {
    const { patterns, replacement, ...options } = requireOptions('RegexFilter', given, REGEX_FILTER_OPTIONS)
    if (!Array.isArray(patterns) || patterns.length === 0) {
      throw new MillraceError('CONFIG_INVALID', 'RegexFilter has no patterns. Pass at least one.')
    }
    const rules = regexRules('RegexFilter', patterns)
    const recognizers = rules.map((rule, index) =>
      regexRecognizer(rule, { type: rule.type ?? 'pattern', id: `${RULE}${index}` }),
    )
    super({
      id: 'regex-filter',
      strategy: 'block',
      label: 'A pattern was',
      ...options,
      scanner: new Scanner(recognizers),
      replacement: (detection) =>
        rules[Number(detection.recognizer.slice(RULE.length))]?.replacement ??
        replacement ??
        mask({ type: '' }),
    })
  }
}
