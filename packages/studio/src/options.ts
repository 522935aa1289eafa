import {
  type Agent,
  isRecord,
  type LanguageModel,
  MillraceError,
  type OptionNames,
  type ProcessorEntry,
  requireCount,
  requireOptions,
} from '@millrace/core'
import { checkPrices, PRICE_LIST, type PriceList } from './view/cost.ts'

export interface StudioOptions {
  /** The agents to record, by display name. */
  readonly agents: Readonly<Record<string, Agent>>
  /**
   * The path of the SQLite file with the records. Only its owner can read it. `false` keeps them in memory. Default:
   * `millrace-studio.db`.
   */
  readonly file?: string | false
  /** The port of the page on 127.0.0.1; 0 for any free port; `false` for no server. Default: 0. */
  readonly port?: number | false
  /** Models for replays, by name. */
  readonly models?: Readonly<Record<string, LanguageModel>>
  /** Processors for replays, by name. A set replaces the processors of the agent. */
  readonly processorSets?: Readonly<Record<string, readonly ProcessorEntry[]>>
  /**
   * The price of a million tokens: `{ currency: 'EUR', models: { 'gpt-5-mini': { input: 0.25, output: 2 } } }`. Default:
   * costs are not shown.
   */
  readonly prices?: PriceList
  /** Maximum number of stored runs; the oldest are deleted. Default: 10,000. */
  readonly maxRuns?: number
  /** Whether it also records if `NODE_ENV` is `production`. Records contain the conversations. Default: false. */
  readonly inProduction?: boolean
  /** Called if records cannot be written, or the server fails. Default: `console.error`. */
  readonly onError?: (error: unknown) => void
}

const STUDIO_OPTIONS: OptionNames<StudioOptions> = {
  agents: 'required',
  file: 'optional',
  port: 'optional',
  models: 'optional',
  processorSets: 'optional',
  prices: PRICE_LIST,
  maxRuns: 'optional',
  inProduction: 'optional',
  onError: 'optional',
}

/** The options with defaults. */
export interface StudioSettings extends Required<Omit<StudioOptions, 'prices' | 'inProduction'>> {
  prices: PriceList | undefined
}

/** @throws MillraceError `CONFIG_INVALID`, which names the option and its value */
export function settingsOf(given: StudioOptions): StudioSettings {
  const options = requireOptions('studio()', given, STUDIO_OPTIONS)
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
    throw new MillraceError(
      'CONFIG_INVALID',
      `agents.${name} is not an agent. Pass an Agent of @millrace/core.`,
    )
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
  // biome-ignore lint/suspicious/noConsole: the default destination of errors
  console.error(error)
}
