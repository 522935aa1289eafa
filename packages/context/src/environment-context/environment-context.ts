import {
  type MessageList,
  MillraceError,
  type OptionNames,
  type ProcessInputArgs,
  type Processor,
  requireOptions,
} from '@millrace/core'
import { ContextMessages } from '../content/context-messages.ts'
import {
  CONTEXT_OPTIONS,
  type ContextOptions,
  type ContextSettings,
  contextSettings,
} from '../content/context-options.ts'
import { visibleName } from '../content/visible-name.ts'

export type EnvironmentField = 'time' | 'platform' | 'cwd' | 'gitBranch'

export interface EnvironmentContextOptions extends ContextOptions {
  /**
   * The fields to add. `'gitBranch'` is also available, and needs `root`. Default: `['time', 'platform',
   * 'cwd']`.
   */
  readonly fields?: readonly EnvironmentField[]
  /** The folder of the git repository. */
  readonly root?: string
  /** An IANA time zone. Default: the time zone of the process. */
  readonly timeZone?: string
  /** Returns the current time. Default: the system clock. */
  readonly now?: () => Date
}

const ENVIRONMENT_CONTEXT_OPTIONS: OptionNames<EnvironmentContextOptions> = {
  ...CONTEXT_OPTIONS,
  fields: 'optional',
  root: 'optional',
  timeZone: 'optional',
  now: 'optional',
}

/** Some workers have no `process`. */
const hasProcess = typeof process !== 'undefined'

const FIELDS: ReadonlySet<string> = new Set<EnvironmentField>(['time', 'platform', 'cwd', 'gitBranch'])

/**
 * Adds the time, the platform, the current folder and, if requested, the git branch. They are read once at
 * the beginning of a turn, so that all its steps have the same prompt.
 */
export class EnvironmentContext implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #settings: ContextSettings
  readonly #fields: readonly EnvironmentField[]
  readonly #root: string | undefined
  readonly #now: () => Date
  readonly #format: Intl.DateTimeFormat

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: EnvironmentContextOptions = {}) {
    const options = requireOptions('EnvironmentContext', given, ENVIRONMENT_CONTEXT_OPTIONS)
    const { fields = ['time', 'platform', 'cwd'], root, timeZone, now = () => new Date() } = options
    this.#settings = contextSettings(options, 'environment-context')
    const unknown = fields.find((field) => !FIELDS.has(field))
    if (unknown !== undefined || fields.length === 0) {
      throw new MillraceError(
        'CONFIG_INVALID',
        `fields has '${String(unknown)}'. Use some of: ${[...FIELDS].join(', ')}.`,
      )
    }
    if (fields.includes('gitBranch') && !root) {
      throw new MillraceError(
        'CONFIG_INVALID',
        "fields has 'gitBranch', but root is missing. Set root to the folder of the repository.",
      )
    }
    this.#fields = fields
    this.#root = root
    this.#now = now
    this.#format = timeFormat(timeZone)
    this.id = this.#settings.id
    this.onError = options.onError ?? 'fail'
  }

  async processInput(args: ProcessInputArgs): Promise<MessageList | undefined> {
    const context = new ContextMessages(this.#settings, args)
    const lines: string[] = []
    for (const field of this.#fields) {
      const value = await this.#read(field)
      if (value !== undefined) lines.push(`${NAMES[field]}: ${visibleName(value)}`)
    }
    if (lines.length === 0) return undefined
    await context.add({ source: 'environment', tag: 'environment', text: lines.join('\n') })
    return context.finish()
  }

  async #read(field: EnvironmentField): Promise<string | undefined> {
    switch (field) {
      case 'time':
        return this.#time()
      case 'platform':
        return hasProcess ? `${process.platform} ${process.arch}` : undefined
      case 'cwd':
        return hasProcess ? process.cwd() : undefined
      case 'gitBranch': {
        // Loaded on first use, because few agents read the branch.
        const { gitBranch } = await import('./git-branch.ts')
        return gitBranch(this.#root as string)
      }
      default:
        return field satisfies never
    }
  }

  /** For example `2026-03-01 09:30 Europe/Berlin, Sunday`. */
  #time(): string {
    const now = this.#now()
    const parts = new Map(this.#format.formatToParts(now).map(({ type, value }) => [type, value]))
    const { timeZone } = this.#format.resolvedOptions()
    const day = `${parts.get('year')}-${parts.get('month')}-${parts.get('day')}`
    return `${day} ${parts.get('hour')}:${parts.get('minute')} ${timeZone}, ${parts.get('weekday')}`
  }
}

const NAMES: Readonly<Record<EnvironmentField, string>> = {
  time: 'time',
  platform: 'platform',
  cwd: 'current folder',
  gitBranch: 'git branch',
}

function timeFormat(timeZone: string | undefined): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'long',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
    })
  } catch (cause) {
    throw new MillraceError(
      'CONFIG_INVALID',
      `timeZone is '${timeZone}'. Use an IANA time zone, such as 'Europe/Berlin'.`,
      {
        cause,
      },
    )
  }
}
