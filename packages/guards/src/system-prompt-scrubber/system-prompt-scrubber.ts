import {
  type Chunk,
  MillraceError,
  type OptionNames,
  PerRun,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type Processor,
  type ProcessorArgs,
  requireOptions,
  type SystemMessage,
  type WrapModelCallArgs,
} from '@millrace/core'
import { GUARD_OPTIONS, type GuardOptions, mask } from '../guard/options.ts'
import { isPromise, perform, type Task } from '../guard/task.ts'
import { TextGuard } from '../guard/text-guard.ts'
import { canaryLine, canaryWord } from './canary.ts'
import { InstructionIndexes, RunInstructions } from './instructions.ts'
import { LeakScan } from './leak-scan.ts'

/** The surfaces on which instructions may leak. */
export type LeakSurface = 'tool-input' | 'reasoning' | 'object' | 'answer'

export interface SystemPromptScrubberOptions extends Omit<GuardOptions, 'surfaces'> {
  /** `'tool-input'`, `'reasoning'`, `'object'`, `'answer'`. Default: all four. */
  readonly surfaces?: readonly LeakSurface[]
  /**
   * `true` adds a random word to the system messages of each run. A list names words that are already in them, each
   * with at least six letters or digits. A canary word by itself is a leak, in any encoding. Default: `false`.
   */
  readonly canary?: boolean | readonly string[]
  /** Texts to protect, in addition to the system messages. */
  readonly instructions?: readonly string[]
  /** Texts of the instructions that may appear in answers, such as a greeting or opening hours. */
  readonly allow?: readonly string[]
  /** What `redact` puts in place of a leak. Default: `'[REDACTED]'`. */
  readonly replacement?: string
}

const SYSTEM_PROMPT_SCRUBBER_OPTIONS: OptionNames<SystemPromptScrubberOptions> = {
  ...GUARD_OPTIONS,
  surfaces: 'optional',
  canary: 'optional',
  instructions: 'optional',
  allow: 'optional',
  replacement: 'optional',
}

interface Run {
  readonly guard: TextGuard
  readonly instructions: RunInstructions
  /** Whether the processor is in the input list. */
  seesInput: boolean
}

type Hook<NAME extends keyof Processor> = NonNullable<Processor[NAME]>

const LEAK_SURFACES: readonly LeakSurface[] = ['tool-input', 'reasoning', 'object', 'answer']

/** The key of the canary word in the state of a run. */
const CANARY = 'canary'

/**
 * Removes the instructions from answers: eight or more consecutive words of them, as they are or encoded. The
 * instructions are the system messages that it sees: those of the agent and of the processors before it.
 */
export class SystemPromptScrubber implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly processOutputStep?: Hook<'processOutputStep'>
  readonly #options: SystemPromptScrubberOptions
  readonly #canaries: readonly string[]
  readonly #indexes = new InstructionIndexes()
  readonly #runs = new PerRun<Run>()
  /** A guard without instructions, to warm up what the guards of all runs load. */
  readonly #probe: TextGuard

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: SystemPromptScrubberOptions = {}) {
    const options = requireOptions('SystemPromptScrubber', given, SYSTEM_PROMPT_SCRUBBER_OPTIONS)
    const {
      id = 'system-prompt-scrubber',
      onError = 'fail',
      canary = false,
      surfaces = LEAK_SURFACES,
    } = options
    this.id = id
    this.onError = onError
    this.#options = options
    this.#canaries = typeof canary === 'boolean' ? [] : canary
    for (const word of this.#canaries) {
      if (/[\p{L}\p{N}]{6}/u.test(word)) continue
      throw new MillraceError(
        'CONFIG_INVALID',
        `A canary word has ${word.length} characters. Use at least 6 letters or digits in a row.`,
      )
    }
    for (const surface of surfaces) {
      if (LEAK_SURFACES.includes(surface)) continue
      throw new MillraceError(
        'CONFIG_INVALID',
        `surfaces has '${surface}'. Use some of: ${LEAK_SURFACES.join(', ')}.`,
      )
    }
    this.#probe = this.#guard(new RunInstructions(this.#indexes, []))
    if (this.#probe.processOutputStep) {
      this.processOutputStep = (args) => this.#run(args).guard.processOutputStep?.(args)
    }
  }

  warmUp(): Promise<void> {
    return this.#probe.warmUp()
  }

  processInputStep(
    args: ProcessInputStepArgs,
  ): ProcessInputStepResult | undefined | Promise<ProcessInputStepResult | undefined> {
    const run = this.#run(args)
    run.seesInput = true
    return perform(this.#inputStep(args, run))
  }

  /** Reads the instructions from the request if the processor is in the output list only. */
  readonly wrapModelCall: Hook<'wrapModelCall'> = (args) => {
    const { instructions, seesInput } = this.#run(args)
    if (seesInput) return args.next(args.request)
    const learnt = perform(this.#learnFrom(args, instructions))
    return isPromise(learnt) ? afterwards(learnt, args) : args.next(args.request)
  }

  readonly processOutputStream: Hook<'processOutputStream'> = (args) =>
    this.#run(args).guard.processOutputStream?.(args)

  readonly processOutputResult: Hook<'processOutputResult'> = (args) =>
    this.#run(args).guard.processOutputResult?.(args)

  #run({ state }: ProcessorArgs): Run {
    let run = this.#runs.get(state)
    if (!run) {
      const instructions = new RunInstructions(this.#indexes, this.#options.allow ?? [])
      run = { instructions, guard: this.#guard(instructions), seesInput: false }
      this.#runs.set(state, run)
    }
    return run
  }

  *#inputStep(
    args: ProcessInputStepArgs,
    { instructions, guard }: Run,
  ): Task<ProcessInputStepResult | undefined> {
    const { systemMessages, messages } = args
    const texts = systemMessages.map(({ content }) => content)
    const added = this.#options.canary === true ? this.#randomCanary(args) : undefined
    const canaries = added === undefined ? this.#canaries : [added]
    yield* instructions.learn([...texts, ...(this.#options.instructions ?? [])], canaries)
    yield* instructions.hear(messages)
    // The guard has no input surface; it only reads whether the answer is structured.
    guard.processInputStep?.(args)
    if (added === undefined) return undefined
    return { systemMessages: withLine(systemMessages, canaryLine(added)) }
  }

  *#learnFrom({ request, messageList }: WrapModelCallArgs, instructions: RunInstructions): Task<void> {
    const texts = request.prompt.flatMap((message) => (message.role === 'system' ? [message.content] : []))
    yield* instructions.learn([...texts, ...(this.#options.instructions ?? [])], this.#canaries)
    yield* instructions.hear(messageList.get('input'))
  }

  #guard(instructions: RunInstructions): TextGuard {
    const { strategy = 'redact', surfaces = LEAK_SURFACES, mode, response, onDetection } = this.#options
    const replacement = this.#options.replacement ?? mask({ type: 'system_prompt' })
    return new TextGuard({
      id: this.id,
      label: 'Instructions were',
      strategy,
      surfaces,
      ...(mode && { mode }),
      ...(response !== undefined && { response }),
      ...(onDetection && { onDetection }),
      replacement: () => replacement,
      scanner: { open: (sink) => new LeakScan(instructions.secrets, sink) },
    })
  }

  /** Stored in the state, so that a resumed run has the same word. */
  #randomCanary({ state }: ProcessorArgs): string {
    state[CANARY] ??= canaryWord()
    return state[CANARY] as string
  }
}

/** Waits for `done`, then calls the model. */
async function* afterwards(
  done: PromiseLike<unknown>,
  { next, request }: WrapModelCallArgs,
): AsyncGenerator<Chunk> {
  await done
  yield* next(request)
}

/** Appends a line to the last system message: providers handle several system messages differently. */
function withLine(messages: readonly SystemMessage[], line: string): SystemMessage[] {
  const last = messages.at(-1)
  if (!last) return [{ role: 'system', content: line }]
  return [...messages.slice(0, -1), { ...last, content: `${last.content}\n\n${line}` }]
}
