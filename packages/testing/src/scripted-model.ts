import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4Prompt,
  LanguageModelV4StreamResult,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import { MillraceError, type OptionNames, requireOptions } from '@millrace/core'
import { deepCopy } from './deep-copy.ts'
import { generateResultOf } from './generate-result.ts'
import { tokens } from './parts/finish.ts'
import { checkScript, type Script, turnAt, writeTurn } from './script.ts'
import { type StreamRecord, StreamRecorder } from './stream-record.ts'
import { respond, streamTurn } from './turn-stream.ts'
import type { WrittenTurn } from './turn-writer.ts'

export interface ScriptedModelOptions {
  /** What to do after the last turn: `last` repeats it. Default: the call rejects with `ScriptError`. */
  repeat?: 'last'
  /** The name of the provider. Default: `scripted`. */
  provider?: string
  /** The name of the model. Default: `scripted-model`. */
  modelId?: string
  /** URLs that the model fetches itself, by media type. Default: none. */
  supportedUrls?: Record<string, RegExp[]>
  /** The usage of turns without their own. Default: `tokens()`, 10 input and 5 output tokens. */
  usage?: LanguageModelV4Usage
}

const SCRIPTED_MODEL_OPTIONS: OptionNames<ScriptedModelOptions> = {
  repeat: 'optional',
  provider: 'optional',
  modelId: 'optional',
  supportedUrls: 'optional',
  usage: 'optional',
}

/**
 * A language model that answers from a script: one turn per call. Refused and aborted calls count. `doStream` and
 * `doGenerate` use the same script. Streams are lazy: a part is created when it is read. Ids, usage and timestamps are the
 * same in every run.
 */
export class ScriptedModel implements LanguageModelV4 {
  readonly specificationVersion = 'v4'
  readonly provider: string
  readonly modelId: string
  readonly supportedUrls: Record<string, RegExp[]>
  readonly #script: Script
  readonly #repeat: 'last' | undefined
  readonly #usage: LanguageModelV4Usage
  readonly #calls: LanguageModelV4CallOptions[] = []
  readonly #streams: StreamRecorder[] = []
  #toolCallCount = 0

  constructor(script: Script, given: ScriptedModelOptions = {}) {
    const options = requireOptions('ScriptedModel', given, SCRIPTED_MODEL_OPTIONS)
    this.provider = options.provider ?? 'scripted'
    this.modelId = options.modelId ?? 'scripted-model'
    this.supportedUrls = options.supportedUrls ?? {}
    this.#usage = options.usage ?? tokens()
    this.#repeat = options.repeat
    if (typeof script !== 'function' && !Array.isArray(script)) {
      throw new MillraceError(
        'CONFIG_INVALID',
        'The script of ScriptedModel is no list. Pass an array of turns, or a function that returns a turn.',
      )
    }
    this.#script = typeof script === 'function' ? script : [...script]
    checkScript(this.#script, { modelId: this.modelId, usage: this.#usage, nextCallId: () => 'call' })
  }

  /** The options of every call, in order, copied at the time of the call. */
  get calls(): readonly LanguageModelV4CallOptions[] {
    return this.#calls
  }

  /** The stream records of every call: `streams[0]` belongs to `calls[0]`. */
  get streams(): readonly StreamRecord[] {
    return this.#streams
  }

  get callCount(): number {
    return this.#calls.length
  }

  /** Throws if the model has not been called. */
  get lastCall(): LanguageModelV4CallOptions {
    return latest(this.#calls)
  }

  /** Throws if the model has not been called. */
  get lastPrompt(): LanguageModelV4Prompt {
    return this.lastCall.prompt
  }

  /** Throws if the model has not been called. */
  get lastStream(): StreamRecord {
    return latest(this.#streams)
  }

  async doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    const { turn, record } = await this.#answer('doStream', options)
    return { stream: streamTurn(turn, record, options.abortSignal) }
  }

  async doGenerate(options: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const { turn, record } = await this.#answer('doGenerate', options)
    return await generateResultOf(streamTurn(turn, record, options.abortSignal))
  }

  async #answer(
    method: StreamRecord['method'],
    options: LanguageModelV4CallOptions,
  ): Promise<{ turn: WrittenTurn; record: StreamRecorder }> {
    const index = this.#calls.length
    const call = deepCopy(options)
    const record = new StreamRecorder(method)
    this.#calls.push(call)
    this.#streams.push(record)
    const turn = await this.#turnFor(call, index).catch((error: unknown) => {
      record.settle('refused')
      throw error
    })
    await respond(turn, record, options.abortSignal)
    return { turn, record }
  }

  async #turnFor(call: LanguageModelV4CallOptions, index: number): Promise<WrittenTurn> {
    const content = await turnAt(this.#script, call, { index, repeat: this.#repeat })
    return writeTurn(content, {
      index,
      modelId: this.modelId,
      usage: this.#usage,
      nextCallId: () => `call-${++this.#toolCallCount}`,
    })
  }
}

function latest<T>(items: readonly T[]): T {
  const item = items.at(-1)
  if (item === undefined) throw new Error('The scripted model has not been called.')
  return item
}
