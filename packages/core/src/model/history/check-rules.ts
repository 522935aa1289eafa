import { MillraceError } from '../../errors.ts'
import { requireOneOf } from '../../option-checks.ts'
import { isRecord } from '../../record.ts'
import { type HistoryRuleName, PROVIDER_NAMES } from './history-rules.ts'

/** The allowed values of each rule, in addition to a list of strings or `undefined`. */
const VALUES: { readonly [NAME in HistoryRuleName]: readonly (string | boolean)[] } = {
  emptyContent: ['empty', 'blank', false],
  toolCalls: ['any', 'word', 'nine', false],
  oneResultText: [true, false],
  foreignParts: [false],
  noExecutedTools: [true, 'unmarked', false],
  trailingReasoning: [true, false],
  files: [false],
  userFirst: [true, false],
  answerAfterTool: [true, false],
  alternate: [true, false],
  noPrefill: [true, 'plain', false],
  validJson: [true, false],
}

/**
 * Validates the option of an agent.
 *
 * @throws MillraceError `CONFIG_INVALID`, which names the rule and its value
 */
export function checkProviderHistory(changes: unknown): void {
  if (changes === undefined || changes === false) return
  if (!isRecord(changes)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `providerHistory is ${describe(changes)}. Use an object by provider, such as { acme: { alternate: true } }, or false.`,
    )
  }
  for (const [provider, change] of Object.entries(changes)) {
    const option = `providerHistory['${provider}']`
    if (change === false) continue
    if (!isRecord(change)) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `${option} is ${describe(change)}. Use an object of rules, or false.`,
      )
    }
    for (const [name, value] of Object.entries(change)) {
      if (name === 'like') requireOneOf(`${option}.like`, String(value), PROVIDER_NAMES)
      else if (value !== undefined) checkRule(option, name, value)
    }
  }
}

function checkRule(option: string, name: string, value: unknown): void {
  if (!Object.hasOwn(VALUES, name)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `${option}.${name} is not a rule. Use one of: ${[...Object.keys(VALUES), 'like'].join(', ')}.`,
    )
  }
  const isList = name === 'files' || name === 'foreignParts'
  if (isList && Array.isArray(value) && value.every((entry) => typeof entry === 'string')) return
  const values = VALUES[name as HistoryRuleName]
  if (values.includes(value as string)) return
  throw new MillraceError(
    'CONFIG_INVALID',
    `${option}.${name} is ${describe(value)}. Use ${isList ? 'a list of strings, or false' : `one of: ${values.join(', ')}`}.`,
  )
}

function describe(value: unknown): string {
  if (typeof value === 'string') return `'${value.slice(0, 60)}'`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}
