import type { HistoryRuleChanges, HistoryRules, ProviderHistoryOptions } from './history-rules.ts'
import { COMMON_RULES, MODELS, NO_RULES, PROVIDERS } from './provider-table.ts'

type Changes = Exclude<ProviderHistoryOptions, false>

interface ModelIdentity {
  provider: string
  modelId: string
}

/** The rules of all providers and models, with the changes of an agent. */
export class Rulebook {
  readonly #changes: Changes
  /** By provider and model id, because the model object may differ in every call. */
  readonly #found = new Map<string, HistoryRules>()

  constructor(changes: Changes = {}) {
    this.#changes = changes
  }

  /** The rules for a model. */
  for({ provider, modelId }: ModelIdentity): HistoryRules {
    const key = `${provider}/${modelId}`
    const known = this.#found.get(key)
    if (known) return known
    if (this.#found.size >= MAX_MODELS) this.#found.clear()
    const rules = this.#rulesFor({ provider, modelId })
    this.#found.set(key, rules)
    return rules
  }

  #rulesFor({ provider, modelId }: ModelIdentity): HistoryRules {
    const changes = this.#changes
    const { name, model } = rowOf(provider, modelId)
    const [vendor = ''] = provider.split('.')
    const ofProvider = own(changes, vendor)
    const ofModel = own(changes, `${vendor}/${modelId}`)
    if (ofModel === false || (ofModel === undefined && ofProvider === false)) return NO_RULES
    const { like, ...change } = defined({ ...(ofProvider || {}), ...ofModel })
    const known = like ?? name
    const rules: HistoryRules = { ...(PROVIDERS.get(known) ?? COMMON_RULES) }
    for (const row of MODELS)
      if (row.provider === known.split('.')[0] && row.model.test(model)) Object.assign(rules, row.rules)
    return Object.assign(rules, change)
  }
}

/** Maximum number of cached models, since model ids may be generated at run time. */
const MAX_MODELS = 1_000

/** Gateways have the provider's name in the model id; some clouds have it in their own ids. */
function rowOf(provider: string, modelId: string): { name: string; model: string } {
  const [first = ''] = provider.split('.')
  if (first === 'gateway') {
    const slash = modelId.indexOf('/')
    const name = modelId.slice(0, Math.max(slash, 0))
    return { name: GATEWAY_NAMES.get(name) ?? name, model: modelId.slice(slash + 1) }
  }
  if (provider.includes('.anthropic.')) return { name: 'anthropic', model: modelId }
  return { name: PROVIDERS.has(provider) ? provider : first, model: modelId }
}

const GATEWAY_NAMES: ReadonlyMap<string, string> = new Map([
  ['bedrock', 'amazon-bedrock'],
  ['vertex', 'google'],
])

function own(changes: Changes, key: string): HistoryRuleChanges | false | undefined {
  return Object.hasOwn(changes, key) ? changes[key] : undefined
}

function defined(change: HistoryRuleChanges): HistoryRuleChanges {
  return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
}
