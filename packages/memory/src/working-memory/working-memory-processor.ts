import {
  isRecord,
  isToolPart,
  type LanguageModel,
  type Message,
  type ProcessInputArgs,
  type ProcessInputMessages,
  type ProcessInputStepArgs,
  type ProcessInputStepResult,
  type ProcessOutputResultArgs,
  type Processor,
  requireOneOf,
  type Schema,
  type Store,
  type SystemMessage,
  type ToolSet,
  toolNameOf,
} from '@millrace/core'
import { contextMessage, escaped, putBeforeHistory } from '../context-message.ts'
import { readState, type StoredState, statePlace } from '../stored-state.ts'
import { placeOf, type ThreadPlaceOptions } from '../thread-place.ts'
import { extractPatch } from './extract-patch.ts'
import { mergePatch } from './merge-patch.ts'
import { createShape, type WorkingMemory, type WorkingMemoryShape } from './shape.ts'
import { type UpdateStrategy, updateWorkingMemory, workingMemoryOf } from './stored-working-memory.ts'

export interface WorkingMemoryOptions {
  /** What is remembered, as text with slots: `Lives in {{city}}`. Either this or `schema`. */
  template?: string
  /** What is remembered, as the schema of an object. Nothing has to be known: what is missing is no fault. */
  schema?: Schema
  /** Whose it is. Without a resource it is the thread's. Default: `resource`. */
  scope?: 'resource' | 'thread'
  /**
   * `extract`: after the answer, a model reads the turn as it is stored and takes notes. `tool`: the agent's model calls
   * a tool when it learns something, and what it called it with is stored with the turn. Default: `extract`.
   */
  update?: 'extract' | 'tool'
  /** `merge`: what is new goes into what is known, `null` deletes. `replace`: it takes its place. Default: `merge`. */
  updateStrategy?: UpdateStrategy
  /** The model that extracts. Default: the agent's. */
  model?: LanguageModel
}

export interface WorkingMemoryProcessorOptions extends WorkingMemoryOptions, ThreadPlaceOptions {
  storage: Store
  /** Default: `working-memory`. */
  id?: string
  /** What happens when the store or the model fails. Default: `skip`, with the error in `result.warnings`. */
  onError?: 'fail' | 'skip'
}

const TAG = 'working-memory'
const TOOL = 'updateWorkingMemory'

/**
 * Keeps a few facts at hand: shows them to the model before the conversation, and brings them up to date after the
 * answer, from the turn as the processors before it have left it.
 *
 * @example
 * new WorkingMemoryProcessor({ storage, template: 'Name: {{name}}\nCity: {{city}}' })
 */
export class WorkingMemoryProcessor implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #options: WorkingMemoryProcessorOptions
  readonly #shape: WorkingMemoryShape
  readonly #scope: 'resource' | 'thread'
  readonly #strategy: UpdateStrategy
  /** Where the model is given the tool. */
  readonly processInputStep?: (args: ProcessInputStepArgs) => Promise<ProcessInputStepResult>

  constructor(options: WorkingMemoryProcessorOptions) {
    const { id = 'working-memory', onError = 'skip', scope = 'resource', update = 'extract' } = options
    this.id = id
    this.onError = onError
    this.#options = options
    this.#shape = createShape(options)
    const { updateStrategy = 'merge' } = options
    requireOneOf('scope', scope, ['resource', 'thread'])
    requireOneOf('updateStrategy', updateStrategy, ['merge', 'replace'])
    requireOneOf('update', update, ['extract', 'tool'])
    this.#scope = scope
    this.#strategy = updateStrategy
    if (update === 'tool') this.processInputStep = (args) => this.#offerTool(args)
  }

  async processInput(args: ProcessInputArgs): Promise<ProcessInputMessages | undefined> {
    const { messageList, systemMessages, requestContext, state } = args
    const place = await placeOf(this.#options, requestContext)
    if (!place) return undefined
    const stored = await readState(this.#options.storage, statePlace(place, this.#scope))
    state.stored = stored
    const { value } = await this.#shape.fit(workingMemoryOf(stored))
    if (Object.keys(value).length > 0) {
      const message = contextMessage({
        id: this.id,
        tag: TAG,
        about: 'What is known from earlier conversations.',
        body: escaped(this.#shape.render(value), TAG),
      })
      putBeforeHistory(messageList, message)
    }
    return this.processInputStep && { systemMessages: [...systemMessages, TOOL_INSTRUCTION] }
  }

  async processOutputResult(args: ProcessOutputResultArgs): Promise<void> {
    const { messageList, requestContext, state, result } = args
    if (result.objectError) return
    const place = await placeOf(this.#options, requestContext)
    if (!place) return
    const known = state.stored as StoredState | undefined
    const { storage } = this.#options
    const at = statePlace(place, this.#scope)
    const stored = known ?? (await readState(storage, at))
    const patch = this.processInputStep
      ? patchOfCalls(messageList.get('response'), this.#strategy)
      : await this.#extract(args, stored)
    if (Object.keys(patch).length === 0) return
    await updateWorkingMemory(patch, {
      storage,
      place: at,
      shape: this.#shape,
      strategy: this.#strategy,
      known: stored,
    })
  }

  async #extract(
    { messageList, model, abortSignal, reportUsage }: ProcessOutputResultArgs,
    stored: StoredState,
  ): Promise<WorkingMemory> {
    const { value } = await this.#shape.fit(workingMemoryOf(stored))
    const noteTaker = this.#options.model ?? model
    const { patch, usage } = await extractPatch({
      model: noteTaker,
      shape: this.#shape,
      current: this.#strategy === 'merge' ? value : {},
      messages: [...messageList.get('input'), ...messageList.get('response')],
      abortSignal,
    })
    reportUsage({ model: noteTaker, usage })
    return patch
  }

  async #offerTool({ tools, activeTools }: ProcessInputStepArgs): Promise<ProcessInputStepResult> {
    const shape = this.#shape
    const inputSchema: Schema<WorkingMemory> = {
      _type: {},
      jsonSchema: await shape.jsonSchema({ complete: false }),
      validate: (value) => checkPatch(value, shape),
    }
    const offered: ToolSet = {
      [TOOL]: {
        description: 'Writes down what was learnt. Only what has changed; null for what is no longer true.',
        inputSchema,
        // It is stored with the turn, from the transcript: what guards have left of the call, and nothing if it is blocked.
        execute: () => 'Noted.',
      },
    }
    return {
      tools: { ...tools, ...offered },
      ...(activeTools && { activeTools: [...activeTools, TOOL] }),
    }
  }
}

const TOOL_INSTRUCTION: SystemMessage = {
  role: 'system',
  content: `When you learn something that belongs into your working memory, or something in it is no longer true, call ${TOOL}. Do not mention it.`,
}

async function checkPatch(
  value: unknown,
  shape: WorkingMemoryShape,
): Promise<{ success: true; value: WorkingMemory } | { success: false; error: Error }> {
  if (!isRecord(value)) return { success: false, error: new Error('It must be an object.') }
  const { misfits } = await shape.fit(mergePatch({}, value))
  if (misfits.length === 0) return { success: true, value }
  return { success: false, error: new Error(`These do not fit: ${misfits.join(', ')}.`) }
}

/** What the calls of the tool say, in order, as the transcript has them. */
function patchOfCalls(messages: readonly Message[], strategy: UpdateStrategy): WorkingMemory {
  let patch: WorkingMemory = {}
  for (const { content } of messages) {
    for (const part of content.parts) {
      if (!isToolPart(part) || part.state !== 'output-available' || toolNameOf(part) !== TOOL) continue
      if (!isRecord(part.input)) continue
      patch = strategy === 'replace' ? part.input : { ...patch, ...overlaid(patch, part.input) }
    }
  }
  return patch
}

/** As `mergePatch`, but `null` stays: it is to delete what is stored. */
function overlaid(patch: WorkingMemory, next: WorkingMemory): WorkingMemory {
  return Object.fromEntries(
    Object.entries(next).map(([key, value]) => {
      const before = Object.hasOwn(patch, key) ? patch[key] : undefined
      return [key, isRecord(value) && isRecord(before) ? { ...before, ...overlaid(before, value) } : value]
    }),
  )
}
