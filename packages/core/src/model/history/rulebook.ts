import { MillraceError } from '../../errors.ts'
import { requireOneOf } from '../../option-checks.ts'
import { isRecord } from '../../record.ts'
import type {
  HistoryRuleChanges,
  HistoryRuleName,
  HistoryRules,
  ProviderHistoryOptions,
} from './history-rules.ts'
import { COMMON_RULES, MODELS, NO_RULES, PROVIDERS } from './provider-table.ts'

interface ModelIdentity {
  provider: string
  modelId: string
}

/** The rules of every provider and model, with an agent's changes. */
export class Rulebook {
  readonly #changes: ProviderHistoryOptions
  /** By provider and model id, since a model object may be another for every call. */
  readonly #found = new Map<string, HistoryRules | undefined>()

  /** @throws MillraceError `CONFIG_INVALID`, which names the rule and its value */
  constructor(changes: ProviderHistoryOptions = {}) {
    checkChanges(changes)
    this.#changes = changes
  }

  /** The rules for a model, or `undefined` where nothing is to be mended. */
  for({ provider, modelId }: ModelIdentity): HistoryRules | undefined {
    if (this.#changes === false) return undefined
    const key = `${provider}/${modelId}`
    if (!this.#found.has(key)) {
      if (this.#found.size >= MOST_MODELS) this.#found.clear()
      this.#found.set(key, this.#rulesFor({ provider, modelId }))
    }
    return this.#found.get(key)
  }

  #rulesFor({ provider, modelId }: ModelIdentity): HistoryRules | undefined {
    const changes = this.#changes as Exclude<ProviderHistoryOptions, false>
    const { name, model } = rowOf(provider, modelId)
    const [vendor = ''] = provider.split('.')
    const ofProvider = own(changes, vendor)
    const ofModel = own(changes, `${vendor}/${modelId}`)
    if (ofModel === false || (ofModel === undefined && ofProvider === false)) return undefined
    const { like = name, ...change } = defined({ ...(ofProvider || {}), ...ofModel })
    const rules: HistoryRules = { ...(PROVIDERS.get(like) ?? COMMON_RULES) }
    for (const row of MODELS)
      if (row.provider === like.split('.')[0] && row.model.test(model)) Object.assign(rules, row.rules)
    Object.assign(rules, change)
    return isNothing(rules) ? undefined : rules
  }
}

/** Bounds what is kept where model ids are made at run time. */
const MOST_MODELS = 1_000

/** Gateways name the provider in the model's id; some clouds name it within their own. */
function rowOf(provider: string, modelId: string): { name: string; model: string } {
  const [first = ''] = provider.split('.')
  if (first === 'gateway') {
    const slash = modelId.indexOf('/')
    const name = modelId.slice(0, Math.max(slash, 0))
    return { name: GATEWAY_NAMES[name] ?? name, model: modelId.slice(slash + 1) }
  }
  if (provider.includes('.anthropic.')) return { name: 'anthropic', model: modelId }
  return { name: PROVIDERS.has(provider) ? provider : first, model: modelId }
}

const GATEWAY_NAMES: Readonly<Record<string, string>> = { bedrock: 'amazon-bedrock', vertex: 'google' }

function own(
  changes: Exclude<ProviderHistoryOptions, false>,
  key: string,
): HistoryRuleChanges | false | undefined {
  return Object.hasOwn(changes, key) ? changes[key] : undefined
}

function defined(change: HistoryRuleChanges): HistoryRuleChanges {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}

function isNothing(rules: HistoryRules): boolean {
  return Object.entries(NO_RULES).every(([name, value]) => rules[name as HistoryRuleName] === value)
}

/** The values each rule may have, beside a list of strings or `undefined`. */
const VALUES: { readonly [NAME in HistoryRuleName]: readonly (string | boolean)[] } = {
  emptyContent: ['empty', 'blank', false],
  toolCalls: ['any', 'word', 'nine', false],
  oneResultText: [true, false],
  foreignParts: [false],
  trailingReasoning: [true, false],
  files: [false],
  userFirst: [true, false],
  answerAfterTool: [true, false],
  alternate: [true, false],
  noPrefill: [true, 'plain', false],
}

function checkChanges(changes: unknown): void {
  if (changes === false) return
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
      if (name === 'like') requireOneOf(`${option}.like`, String(value), [...PROVIDERS.keys()])
      else if (value !== undefined) checkRule(option, name, value)
    }
  }
}

function checkRule(option: string, name: string, value: unknown): void {
  if (!Object.hasOwn(VALUES, name)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `${option}.${name} is no rule. Use one of: ${[...Object.keys(VALUES), 'like'].join(', ')}.`,
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
