import {
  isRecord,
  isToolPart,
  type LanguageModel,
  type Message,
  MillraceError,
  type OptionNames,
  type ProcessInputArgs,
  type ProcessInputMessages,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type ProcessOutputResultArgs,
  type Processor,
  requireCount,
  requireOneOf,
  requireOptions,
  type Schema,
  type Store,
  type SystemMessage,
  type ToolSet,
  toolNameOf,
} from '@millrace/core'
import { contextMessage, escapeClosingTag, insertBeforeHistory } from '../context-message.ts'
import { readState, type StateKey, type StoredState, stateKeyOf } from '../stored-state.ts'
import { THREAD_PLACE_OPTIONS, type ThreadPlaceOptions, threadKeyOf } from '../thread-place.ts'
import { type ListRules, ruleOf } from './list-rules.ts'
import { createShape, type WorkingMemory, withoutPaths } from './shape.ts'
import {
  applyPatches,
  checkSize,
  misfitsOf,
  type UpdateRules,
  type UpdateStrategy,
  updateWorkingMemory,
  workingMemoryOf,
} from './stored-working-memory.ts'

export interface WorkingMemoryOptions {
  /** The facts to remember, as text with slots: `Lives in {{city}}`. Either this or `schema`. */
  template?: string
  /** The facts to remember, as the schema of an object. Every fact may be missing, whatever the schema requires. */
  schema?: Schema
  /**
   * Whether facts belong to the resource or to the thread. Without a resource, to the thread. Default:
   * `resource`.
   */
  scope?: 'resource' | 'thread'
  /**
   * `extract`: after the answer, a model reads the turn as it is stored and extracts facts. `tool`: the agent's model calls
   * a tool when it learns something, and the facts are stored with the turn. Default: `extract`.
   */
  update?: 'extract' | 'tool'
  /**
   * With `extract`: whether the turn ends without waiting for the extraction. `agent.close()` waits for it, and a failure is
   * a `background-error` event. Default: `true`.
   */
  background?: boolean
  /** `merge`: an update changes the facts it names, and `null` deletes one. `replace`: it replaces all of them. Default: `merge`. */
  updateStrategy?: UpdateStrategy
  /**
   * With `merge`: how a list in an update changes the known list. `replace`: it replaces it. `append`: items that are not in it
   * are added. `by id`: items with the same `id` are merged, and an item whose other fields are all set to `null` is removed.
   * One rule for all lists, or one by path: `{ likes: 'append', pets: 'by name' }`. Default: `replace`.
   */
  lists?: ListRules
  /**
   * Maximum size of the facts in bytes, as JSON in UTF-8. A larger update is rejected, and the model gets an
   * error. Default: 16,384.
   */
  maxBytes?: number
  /** The model that extracts facts. Default: the agent's model. */
  model?: LanguageModel
}

export const WORKING_MEMORY_OPTIONS: OptionNames<WorkingMemoryOptions> = {
  template: 'optional',
  schema: 'optional',
  scope: 'optional',
  update: 'optional',
  background: 'optional',
  updateStrategy: 'optional',
  lists: 'optional',
  maxBytes: 'optional',
  model: 'optional',
}

export interface WorkingMemoryProcessorOptions extends WorkingMemoryOptions, ThreadPlaceOptions {
  storage: Store
  /** Default: `working-memory`. */
  id?: string
  /** What happens when the store or the model fails. Default: `skip`, with the error in `result.warnings`. */
  onError?: 'fail' | 'skip'
}

const WORKING_MEMORY_PROCESSOR_OPTIONS: OptionNames<WorkingMemoryProcessorOptions> = {
  ...WORKING_MEMORY_OPTIONS,
  ...THREAD_PLACE_OPTIONS,
  storage: 'required',
  id: 'optional',
  onError: 'optional',
}

const TAG = 'working-memory'
const TOOL = 'updateWorkingMemory'

/**
 * Remembers a few facts. It shows them to the model before the conversation, and updates them after the
 * answer, from the turn as earlier processors left it.
 *
 * @example
 * new WorkingMemoryProcessor({ storage, template: 'Name: {{name}}\nCity: {{city}}' })
 */
export class WorkingMemoryProcessor implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #options: WorkingMemoryProcessorOptions
  readonly #rules: UpdateRules
  readonly #scope: 'resource' | 'thread'
  readonly #isBackground: boolean
  /** Offers the tool. Only with `update: 'tool'`. */
  readonly processInputStep?: (args: ProcessInputStepArgs) => Promise<ProcessInputStepResult>

  constructor(given: WorkingMemoryProcessorOptions) {
    const options = requireOptions('WorkingMemoryProcessor', given, WORKING_MEMORY_PROCESSOR_OPTIONS)
    const { id = 'working-memory', onError = 'skip', scope = 'resource', update = 'extract' } = options
    this.id = id
    this.onError = onError
    this.#options = options
    this.#rules = rulesOf(options)
    const { background = true } = options
    requireOneOf('scope', scope, ['resource', 'thread'])
    requireOneOf('update', update, ['extract', 'tool'])
    requireOneOf('background', background, [true, false])
    this.#scope = scope
    this.#isBackground = background
    if (update === 'tool') this.processInputStep = (args) => this.#offerTool(args)
  }

  async processInput(args: ProcessInputArgs): Promise<ProcessInputMessages | undefined> {
    const { messageList, systemMessages, requestContext, state } = args
    const threadKey = await threadKeyOf(this.#options, requestContext)
    if (!threadKey) return undefined
    const stored = await readState(this.#options.storage, stateKeyOf(threadKey, this.#scope))
    state.stored = stored
    const { value } = await this.#rules.shape.fit(workingMemoryOf(stored))
    if (Object.keys(value).length > 0) {
      const message = contextMessage({
        id: this.id,
        tag: TAG,
        about: 'What is known from earlier conversations.',
        body: escapeClosingTag(this.#rules.shape.render(value), TAG),
      })
      insertBeforeHistory(messageList, message)
    }
    return this.processInputStep && { systemMessages: [...systemMessages, TOOL_INSTRUCTION] }
  }

  async processOutputResult(args: ProcessOutputResultArgs): Promise<void> {
    const { messageList, requestContext, state, result, incomplete } = args
    if (result.objectError || incomplete) return
    const threadKey = await threadKeyOf(this.#options, requestContext)
    if (!threadKey) return
    const stateKey = stateKeyOf(threadKey, this.#scope)
    const known = state.stored as StoredState | undefined
    if (this.processInputStep) return this.#storeCalls(messageList.get('response'), { stateKey, known })
    const work = this.#extract(args, { stateKey, known })
    if (this.#isBackground) args.waitUntil(work)
    else await work
  }

  /** Stores the inputs of the tool calls, in the order of the transcript. */
  async #storeCalls(
    messages: readonly Message[],
    { stateKey, known }: { stateKey: StateKey; known: StoredState | undefined },
  ): Promise<void> {
    const { storage } = this.#options
    const patches = inputsOfCalls(messages).filter((patch) => Object.keys(patch).length > 0)
    if (patches.length === 0) return
    await updateWorkingMemory(patches, { ...this.#rules, storage, stateKey, known, dropsMisfits: true })
  }

  /** If the result is too large, the model gets one more attempt. */
  async #extract(
    { messageList, model, abortSignal, reportUsage }: ProcessOutputResultArgs,
    { stateKey, known }: { stateKey: StateKey; known: StoredState | undefined },
  ): Promise<void> {
    const { storage } = this.#options
    const { shape, strategy, rule } = this.#rules
    const noteTaker = this.#options.model ?? model
    const messages = [...messageList.get('input'), ...messageList.get('response')]
    let stored = known ?? (await readState(storage, stateKey))
    let problem: string | undefined
    for (;;) {
      const before = workingMemoryOf(stored)
      // Loaded on first use, so that an agent starts without it.
      const { extractPatch } = await import('./extract-patch.ts')
      const { patch, usage } = await extractPatch({
        model: noteTaker,
        shape,
        current: strategy === 'merge' ? (await shape.fit(before)).value : {},
        messages,
        problem,
        ...(!this.#isBackground && { abortSignal }),
      })
      if (!this.#isBackground) reportUsage({ model: noteTaker, usage })
      const misfits = await misfitsOf(patch, { shape, rule })
      const clean = withoutPaths(patch, misfits)
      if (Object.keys(clean).length === 0) return
      try {
        await updateWorkingMemory([clean], {
          ...this.#rules,
          storage,
          stateKey,
          known: stored,
          dropsMisfits: true,
        })
        return
      } catch (error) {
        if (problem !== undefined || !isRefused(error)) throw error
        problem = error.message
        stored = await readState(storage, stateKey)
      }
    }
  }

  async #offerTool({ tools, activeTools, state }: ProcessInputStepArgs): Promise<ProcessInputStepResult> {
    const inputSchema: Schema<WorkingMemory> = {
      _type: {},
      jsonSchema: await this.#rules.shape.jsonSchema({ complete: false }),
      validate: (value) =>
        isRecord(value)
          ? { success: true, value }
          : { success: false, error: new Error('It must be an object.') },
    }
    const offered: ToolSet = {
      [TOOL]: {
        description: 'Writes down what was learnt. Only what has changed; null for what is no longer true.',
        inputSchema,
        // The update is stored with the turn, from the transcript: as guards left the call, and not at all if
        // the turn is blocked.
        execute: (input) => this.#record(input as WorkingMemory, state),
      },
    }
    return {
      tools: { ...tools, ...offered },
      ...(activeTools && { activeTools: [...activeTools, TOOL] }),
    }
  }

  /**
   * The result of the tool.
   *
   * @throws Error for the model, if nothing in the input fits, or if it is too large together with earlier
   *   updates of this run
   */
  async #record(input: WorkingMemory, state: Record<string, unknown>): Promise<string> {
    const misfits = await misfitsOf(input, this.#rules)
    const patch = withoutPaths(input, misfits)
    const names = misfits.map((path) => path.join('.')).join(', ')
    if (misfits.length > 0 && Object.keys(patch).length === 0) throw new Error(`These do not fit: ${names}.`)
    const before = workingMemoryOf((state.stored as StoredState | undefined) ?? { state: {}, version: 0 })
    // Calls of one step run in parallel: no `await` from here on.
    const noted = [...((state.noted as WorkingMemory[] | undefined) ?? []), patch]
    checkSize(applyPatches(before, noted, this.#rules), { before, maxBytes: this.#rules.maxBytes })
    state.noted = noted
    return names === '' ? 'Noted.' : `Noted, without what does not fit: ${names}.`
  }
}

/** @throws MillraceError `CONFIG_INVALID` */
export function rulesOf(options: WorkingMemoryOptions): UpdateRules {
  const { updateStrategy = 'merge', lists, maxBytes = 16_384 } = options
  requireOneOf('updateStrategy', updateStrategy, ['merge', 'replace'])
  return {
    shape: createShape(options),
    strategy: updateStrategy,
    rule: ruleOf(lists),
    maxBytes: requireCount('workingMemory.maxBytes', maxBytes, 1),
  }
}

function isRefused(error: unknown): error is MillraceError {
  return MillraceError.isInstance(error) && error.code === 'STORAGE_INPUT_INVALID'
}

const TOOL_INSTRUCTION: SystemMessage = {
  role: 'system',
  content: `When you learn something that belongs into your working memory, or something in it is no longer true, call ${TOOL}. Do not mention it.`,
}

/** The inputs of the tool calls that were answered. */
function inputsOfCalls(messages: readonly Message[]): WorkingMemory[] {
  return messages.flatMap(({ content }) =>
    content.parts.flatMap((part) => {
      if (!isToolPart(part) || part.state !== 'output-available' || toolNameOf(part) !== TOOL) return []
      return isRecord(part.input) ? [part.input] : []
    }),
  )
}
