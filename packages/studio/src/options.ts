import {
  type Agent,
  isRecord,
  type LanguageModel,
  MillraceError,
  type ProcessorEntry,
  requireCount,
} from '@millrace/core'
import { checkPrices, type PriceList } from './view/cost.ts'

export interface StudioOptions {
  /** The agents that are recorded, by the name under which they are shown. */
  readonly agents: Readonly<Record<string, Agent>>
  /** The file of the records, which its owner alone can read. `false` keeps them in memory. Default: `millrace-studio.db`. */
  readonly file?: string | false
  /** The port on 127.0.0.1 of the page; 0 for any that is free; `false` for none. Default: 0. */
  readonly port?: number | false
  /** Models that a run can be replayed with, by name. */
  readonly models?: Readonly<Record<string, LanguageModel>>
  /** Processors that a run can be replayed with in place of the agent's, by name. */
  readonly processorSets?: Readonly<Record<string, readonly ProcessorEntry[]>>
  /**
   * What a million tokens cost: `{ currency: 'EUR', models: { 'gpt-5-mini': { input: 0.25, output: 2 } } }`. Default: costs are
   * not shown.
   */
  readonly prices?: PriceList
  /** Runs that are kept; the oldest go first. Default: 10,000. */
  readonly maxRuns?: number
  /** Whether it works where `NODE_ENV` is `production`. What was said is recorded then. Default: false. */
  readonly inProduction?: boolean
  /** Called when records cannot be written, or the server fails. Default: `console.error`. */
  readonly onError?: (error: unknown) => void
}

/** Options with their defaults. */
export interface StudioSettings extends Required<Omit<StudioOptions, 'prices' | 'inProduction'>> {
  prices: PriceList | undefined
}

/** @throws MillraceError `CONFIG_INVALID`, which names the option and its value */
export function settingsOf(options: StudioOptions): StudioSettings {
  const {
    agents,
    file = 'millrace-studio.db',
    port = 0,
    models = {},
    processorSets = {},
    maxRuns = 10_000,
  } = options
  if (!isRecord(agents)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      'agents is missing. Pass an object of agents by name: { agents: { support } }.',
    )
  }
  for (const [name, agent] of Object.entries(agents)) {
    if (typeof (agent as Partial<Agent>)?.on === 'function') continue
    throw new MillraceError('CONFIG_INVALID', `agents.${name} is no agent. Pass an Agent of @millrace/core.`)
  }
  if (file !== false && (typeof file !== 'string' || file === '')) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `file is '${String(file)}'. Pass a path, or false to keep records in memory.`,
    )
  }
  if (port !== false && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `port is ${String(port)}. Use a number from 0 to 65535, or false.`,
    )
  }
  if (options.prices) checkPrices(options.prices)
  return {
    agents,
    file,
    port,
    models,
    processorSets,
    maxRuns: requireCount('maxRuns', maxRuns, 1),
    prices: options.prices,
    onError: options.onError ?? reportToConsole,
  }
}

function reportToConsole(error: unknown): void {
  // biome-ignore lint/suspicious/noConsole: where faults are looked for by default
  console.error(error)
}
