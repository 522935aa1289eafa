import {
  type Message,
  MillraceError,
  type OptionNames,
  PerRun,
  type ProcessDeliveryArgs,
  type ProcessDeliveryResult,
  type Processor,
  type ProcessorArgs,
  requireOptions,
} from '@millrace/core'
import type { EntityFinder, GuardOptions, Replacement } from '@millrace/guards/guard'
import {
  GUARD_OPTIONS,
  type Redaction,
  replacementOf,
  rewriteJson,
  TextGuard,
  yieldToEventLoop,
} from '@millrace/guards/guard'
import { RECOGNIZER, type Recognizer } from '@millrace/guards/scanner'
import { keyedHash } from './keyed-hash.ts'
import { checkSelection, PII_SELECTION, type PIISelection } from './recognizers.ts'
import type { RestoredStream } from './restore.ts'
import { PLACEHOLDER, type TokenScope, TokenVault } from './token-vault.ts'

export interface PIIDetectorOptions extends GuardOptions, PIISelection {
  /** What `redact` puts in place of a value. Default: `'mask'`. */
  readonly redaction?: Redaction | 'hash' | 'tokenize'
  /**
   * The key for `'hash'`, which requires one, and for `'tokenize'`, which otherwise generates one. With a key,
   * placeholders are the same in every process, and a run that continues in another process has its originals there:
   * they are stored with the run, encrypted. Use 32 random bytes. A person with the key can test guesses of a value,
   * and read the originals of stored runs.
   */
  readonly hashKey?: string | Uint8Array
  /**
   * Recognizers of your own, in addition to those of `types` and `regions`: a pattern, or a function of the text ahead.
   */
  readonly recognizers?: readonly Recognizer[]
  /** A function that finds names and addresses. */
  readonly entities?: EntityFinder
  /** The minimum score of a finding, from 0 to 1. Default: 0.5. */
  readonly threshold?: number
}

const PII_DETECTOR_OPTIONS: OptionNames<PIIDetectorOptions> = {
  ...GUARD_OPTIONS,
  ...PII_SELECTION,
  redaction: 'optional',
  hashKey: 'optional',
  recognizers: RECOGNIZER,
  entities: 'optional',
  threshold: 'optional',
}

/**
 * Finds personal data by form, checksum and context words. Redacts it by default. Needs no model. Recognizers,
 * numbering plans and libraries are loaded on first use.
 */
export class PIIDetector extends TextGuard {
  /** Only if `redaction` is `tokenize`. */
  declare readonly processDelivery?: NonNullable<Processor['processDelivery']>
  /** Only if `redaction` is `tokenize` without a key: placeholders then differ between processes. */
  declare readonly boundToProcess?: string

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: PIIDetectorOptions = {}) {
    const {
      types,
      regions,
      redaction = 'mask',
      hashKey,
      recognizers = [],
      threshold,
      ...options
    } = requireOptions('PIIDetector', given, PII_DETECTOR_OPTIONS)
    const selection: PIISelection = { ...(types && { types }), ...(regions && { regions }) }
    checkSelection(selection)
    const isHashed = redaction === 'hash' || redaction === 'tokenize'
    if (redaction === 'hash' && hashKey === undefined) {
      throw new MillraceError('CONFIG_INVALID', "redaction is 'hash' without a key. Pass one as hashKey.")
    }
    if (isHashed && hashKey?.length === 0) {
      throw new MillraceError('CONFIG_INVALID', 'hashKey is empty. Pass 32 random bytes.')
    }
    let replacement: Replacement = replacementOf(isHashed ? 'type' : redaction, ['hash', 'tokenize'])
    const vault = redaction === 'tokenize' ? new TokenVault(hashKey) : undefined
    super({
      id: 'pii-detector',
      label: 'Personal data was',
      ...options,
      threshold,
      replacement: (detection, value) => replacement(detection, value),
      ...(vault && {
        replacementFor: ({ state, requestContext }: ProcessorArgs): Replacement => {
          const scope = vault.of(state, requestContext)
          return (detection, value) => {
            const placeholder = replacement(detection, value)
            scope.remember(placeholder, value)
            return placeholder
          }
        },
      }),
      scanner: async () => {
        await vault?.load()
        if (isHashed) replacement = await keyedHash(hashKey ?? crypto.getRandomValues(new Uint8Array(32)))
        await yieldToEventLoop()
        const { loadScanner } = await import('./load-scanner.ts')
        return loadScanner(selection, { threshold, recognizers })
      },
    })
    if (!vault) return
    Object.assign(
      this,
      hashKey === undefined && { boundToProcess: KEY_OF_PROCESS },
      hashKey !== undefined && { processInputStep: keepingHook(vault, this.processInputStep) },
      restoringHooks(vault, this.processExecution, () => super.warmUp()),
    )
  }
}

const KEY_OF_PROCESS =
  "With redaction: 'tokenize' and no hashKey its placeholders differ between processes. Pass the same hashKey in all of them."

/** Loaded on first use. */
type Restoring = typeof import('./restore.ts')

/**
 * Keeps the originals of placeholders in the messages a run begins with, which come from earlier turns: another process
 * would not know them. Originals of the run's own findings are kept when they are found.
 */
function keepingHook(
  vault: TokenVault,
  check: Processor['processInputStep'],
): NonNullable<Processor['processInputStep']> {
  const kept = new PerRun<true>()
  return (args) => {
    const { state, requestContext, messages } = args
    if (kept.get(state)) return check?.(args)
    kept.set(state, true)
    return vault.load().then(() => {
      vault.of(state, requestContext).keep(placeholdersIn(messages))
      return check?.(args)
    })
  }
}

function placeholdersIn(messages: readonly Message[]): Set<string> {
  const found = new Set<string>()
  const note = (text: string): string => {
    // Long texts such as files are skipped quickly if they contain no placeholder.
    if (text.includes('[')) for (const [placeholder] of text.matchAll(PLACEHOLDERS)) found.add(placeholder)
    return text
  }
  for (const { content } of messages) rewriteJson(content.parts, note, { numbers: false })
  return found
}

const PLACEHOLDERS = new RegExp(PLACEHOLDER, 'g')

/** Restores the originals for tools and for the caller. Outputs of tools are passed to `check`. */
function restoringHooks(
  vault: TokenVault,
  check: Processor['processExecution'],
  warmUp: () => Promise<void>,
): Pick<Processor, 'processExecution' | 'processDelivery' | 'warmUp'> {
  const streams = new PerRun<RestoredStream>()
  let loaded: Restoring | undefined
  const load = async (): Promise<Restoring> => {
    await vault.load()
    loaded ??= await import('./restore.ts')
    return loaded
  }
  const scopeOf = ({ state, requestContext }: ProcessorArgs): TokenScope => vault.of(state, requestContext)
  const deliver = ({ RestoredStream, restored }: Restoring, args: ProcessDeliveryArgs): Delivered => {
    const { state, part, result } = args
    if (result) return restored(result, scopeOf(args))
    const stream = streams.get(state) ?? new RestoredStream(scopeOf(args))
    streams.set(state, stream)
    return stream.chunk(part)
  }
  return {
    async warmUp() {
      await warmUp()
      await load()
    },
    async processExecution(args) {
      const { direction, value } = args
      if (direction !== 'in') return check?.(args)
      const given = (await load()).restored(value, scopeOf(args))
      return given === value ? undefined : { value: given }
    },
    processDelivery(args) {
      if (loaded) return deliver(loaded, args)
      // All chunks share one arguments object, so it is copied before waiting.
      const taken = { ...args }
      return load().then((restoring) => deliver(restoring, taken))
    },
  }
}

type Delivered = Awaited<ProcessDeliveryResult>
