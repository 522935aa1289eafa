import {
  type AbortOrRetry,
  type Chunk,
  type Message,
  type MessageList,
  MillraceError,
  type OptionNames,
  type StructuredOutputOptions as OutputRequest,
  PerRun,
  type ProcessInputStepArgs,
  type ProcessInputStepReturn,
  type ProcessOutputStepArgs,
  type ProcessOutputStreamArgs,
  type Processor,
  parseJson,
  requireOptions,
  type Schema,
  toJsonSchema,
  validate,
} from '@millrace/core'
import { replaceText } from '../rewriter/replace-text.ts'
import { isJson, JsonExtractor } from './json-extractor.ts'
import { jsonReadings, type ReadingKind } from './json-readings.ts'

export interface StructuredOutputOptions<OUTPUT = unknown> {
  /** Identifies the processor in results, events and errors. Default: `'structured-output'`. */
  readonly id?: string
  /**
   * The schema of the answer. Without this and without `output`, the processor does nothing. Default: the `output` of
   * the call.
   */
  readonly schema?: Schema<OUTPUT>
  /** With `schema`: its name, for providers that show it to the model. */
  readonly name?: string
  /** With `schema`: its description, for providers that show it to the model. */
  readonly description?: string
  /** State the schema in a system message, for models without structured output. Default: `false`. */
  readonly inPrompt?: boolean
  /** Extract JSON from fences and sentences, and repair it. Default: `true`. */
  readonly repair?: boolean
  /**
   * A truncated answer: `'repair'` uses it if what there is matches the schema, `'reject'` does not. Default:
   * `'repair'`.
   */
  readonly truncated?: 'repair' | 'reject'
  /**
   * How often a run asks the model again, with a description of the problem; at most as often as the agent allows.
   * Default: 2.
   */
  readonly maxRetries?: number
  /** The answer if no attempt is valid. Without it, the run ends with a tripwire. */
  readonly fallback?: OUTPUT
  /** Called for every answer that was repaired or replaced. */
  readonly onRepair?: (event: StructuredOutputEvent) => void
  /** `'skip'` continues the run without the processor if it fails. Default: `'fail'`. */
  readonly onError?: 'fail' | 'skip'
}

const STRUCTURED_OUTPUT_OPTIONS: OptionNames<StructuredOutputOptions> = {
  id: 'optional',
  schema: 'optional',
  name: 'optional',
  description: 'optional',
  inPrompt: 'optional',
  repair: 'optional',
  truncated: 'optional',
  maxRetries: 'optional',
  fallback: 'optional',
  onRepair: 'optional',
  onError: 'optional',
}

export interface StructuredOutputEvent {
  readonly processorId: string
  readonly stepNumber: number
  readonly how: Exclude<ReadingKind, 'whole'> | 'extracted' | 'fallback'
}

/** The state of a run. */
interface Run {
  output: OutputRequest | undefined
  retries: number
  readonly texts: Map<string, JsonExtractor>
}

/**
 * Enforces the schema of a structured answer: repairs answers if possible, and otherwise asks the model again.
 *
 * In the stream, fences and sentences around the JSON are removed, so that partial objects also work with models that
 * write them. The message metadata of a repaired answer has `structuredOutput: 'repaired'`, `'extracted'`,
 * `'truncated'` or `'fallback'`. List it in `processors`, after those that change text.
 */
export class StructuredOutput<OUTPUT = unknown> implements Processor {
  readonly id: string
  readonly onError: 'fail' | 'skip'
  readonly #options: StructuredOutputOptions<OUTPUT>
  readonly #output: OutputRequest | undefined
  readonly #maxRetries: number
  readonly #runs = new PerRun<Run>()

  /** @throws MillraceError `CONFIG_INVALID` */
  constructor(given: StructuredOutputOptions<OUTPUT> = {}) {
    const options = requireOptions(
      'StructuredOutput',
      given as StructuredOutputOptions,
      STRUCTURED_OUTPUT_OPTIONS,
    ) as StructuredOutputOptions<OUTPUT>
    const { id = 'structured-output', onError = 'fail', maxRetries = 2, truncated = 'repair' } = options
    const { schema, name, description } = options
    if (!Number.isInteger(maxRetries) || maxRetries < 0) {
      throw new MillraceError('CONFIG_INVALID', `maxRetries is ${maxRetries}. Use an integer of at least 0.`)
    }
    if (truncated !== 'repair' && truncated !== 'reject') {
      throw new MillraceError('CONFIG_INVALID', `truncated is '${truncated}'. Use 'repair' or 'reject'.`)
    }
    this.id = id
    this.onError = onError
    this.#options = options
    this.#maxRetries = maxRetries
    this.#output = schema && {
      schema,
      ...(name !== undefined && { name }),
      ...(description !== undefined && { description }),
    }
  }

  processInputStep({
    state,
    structuredOutput,
    systemMessages,
  }: ProcessInputStepArgs): ProcessInputStepReturn | Promise<ProcessInputStepReturn> {
    const output = this.#output ?? structuredOutput
    this.#run(state).output = output
    const own = this.#output && { structuredOutput: this.#output }
    if (!output || !this.#options.inPrompt) return own
    return Promise.resolve(toJsonSchema(output.schema)).then((jsonSchema) => {
      const content = `Answer with JSON that holds this schema, and with nothing else:\n${JSON.stringify(jsonSchema)}`
      return { ...own, systemMessages: [...systemMessages, { role: 'system', content }] }
    })
  }

  processOutputStream({ part, state }: ProcessOutputStreamArgs): Chunk | readonly Chunk[] | null {
    const run = this.#run(state)
    if (part.type === 'step-start') run.texts.clear()
    if (!run.output || this.#options.repair === false) return part
    if (part.type !== 'text-delta' && part.type !== 'text-end') return part
    let text = run.texts.get(part.id)
    if (!text) {
      text = new JsonExtractor()
      run.texts.set(part.id, text)
    }
    if (part.type === 'text-end') {
      run.texts.delete(part.id)
      const textDelta = text.end()
      return textDelta === '' ? part : [{ type: 'text-delta', id: part.id, textDelta }, part]
    }
    const textDelta = text.push(part.textDelta)
    if (textDelta === part.textDelta) return part
    return textDelta === '' && !part.providerMetadata ? null : { ...part, textDelta }
  }

  async processOutputStep({
    state,
    text,
    toolCalls,
    messageList,
    stepNumber,
    incomplete,
    abort,
  }: ProcessOutputStepArgs): Promise<MessageList | undefined> {
    const run = this.#run(state)
    // Text with tool calls is not the final answer.
    if (!run.output || incomplete || toolCalls.some(({ providerExecuted }) => !providerExecuted))
      return undefined
    const { reading, problem } = await this.#read(text, run.output.schema)
    if (reading?.kind === 'whole') return undefined
    if (reading) return this.#replace(messageList, { ...reading, how: reading.kind, stepNumber })
    return this.#invalid(run, problem, { messageList, stepNumber, abort })
  }

  #run(state: object): Run {
    let run = this.#runs.get(state)
    if (!run) {
      run = { output: this.#output, retries: 0, texts: new Map() }
      this.#runs.set(state, run)
    }
    return run
  }

  /** The first reading of a text that matches the schema, or the problem of the most likely one. */
  async #read(
    text: string,
    schema: Schema,
  ): Promise<
    | { reading: { value: unknown; kind: ReadingKind | 'extracted' }; problem?: never }
    | { reading?: never; problem: string }
  > {
    const { repair = true, truncated = 'repair' } = this.#options
    const given = await parseJson(text, schema)
    const kind = isJson(text) ? 'whole' : 'extracted'
    if (given.success) {
      return repair || kind === 'whole' ? { reading: { value: given.value, kind } } : { problem: NOT_ALONE }
    }
    let problem: string | undefined
    for await (const reading of repair ? jsonReadings(text) : []) {
      if (truncated === 'reject' && reading.kind === 'truncated') continue
      const result = await validate(schema, reading.value)
      if (result.success) return { reading }
      problem ??= result.error.message
    }
    return { problem: problem ?? given.error.message }
  }

  #invalid(
    run: Run,
    problem: string,
    { messageList, stepNumber, abort }: { messageList: MessageList; stepNumber: number; abort: AbortOrRetry },
  ): MessageList {
    const reason = `The answer does not match the output schema: ${problem}.`
    if (run.retries < this.#maxRetries) {
      run.retries++
      abort(`${reason} Answer again, with valid JSON that holds the schema, and nothing else.`, {
        retry: true,
      })
    }
    const { fallback } = this.#options
    const replaced =
      fallback === undefined
        ? undefined
        : this.#replace(messageList, { value: fallback, how: 'fallback', stepNumber })
    return replaced ?? abort(reason)
  }

  /** Replaces the step's text by a value. Returns undefined if the step has no message. */
  #replace(
    messageList: MessageList,
    { value, how, stepNumber }: { value: unknown; how: StructuredOutputEvent['how']; stepNumber: number },
  ): MessageList | undefined {
    const message = messageList.get('response').findLast(({ role }) => role === 'assistant')
    if (!message) return undefined
    const { parts } = message.content
    const start = parts.findLastIndex(({ type }) => type === 'step-start') + 1
    if (!parts.slice(start).some(({ type }) => type === 'text')) return undefined
    messageList.replace(
      marked(message, how, [
        ...parts.slice(0, start),
        ...replaceText(parts.slice(start), JSON.stringify(value)),
      ]),
    )
    this.#options.onRepair?.({ processorId: this.id, stepNumber, how })
    return messageList
  }
}

const NOT_ALONE = 'it has text around the JSON'

function marked(
  { content, ...message }: Message,
  how: StructuredOutputEvent['how'],
  parts: Message['content']['parts'],
): Message {
  return {
    ...message,
    content: { ...content, parts, metadata: { ...content.metadata, structuredOutput: how } },
  }
}
