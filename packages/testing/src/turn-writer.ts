import type {
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  LanguageModelV4Usage,
} from '@ai-sdk/provider'
import type { OptionNames } from '@millrace/core'
import type { Pause } from './pause.ts'
import { ScriptError } from './script-error.ts'

type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>

export type TurnStep =
  | { readonly type: 'part'; readonly part: LanguageModelV4StreamPart }
  | { readonly type: 'pause'; readonly pause: Pause }
  | { readonly type: 'fail'; readonly error: unknown }

export interface WrittenTurn {
  /** What happens before `doStream` resolves. */
  readonly beforeResponse: readonly Pause[]
  /** Set when `doStream` rejects. */
  readonly refusal: { readonly error: unknown } | undefined
  readonly steps: readonly TurnStep[]
}

export interface TurnContext {
  /** The model call that the turn answers, counted from 0. */
  readonly index: number
  readonly modelId: string
  readonly usage: LanguageModelV4Usage
  nextCallId(): string
}

/**
 * * Where the parts of a turn write what the model does, in order. Adds what every real provider sends by
 * itself: `stream-start`, `response-metadata` and, unless the turn ends otherwise, `finish`.
 */
export class TurnWriter {
  readonly #context: TurnContext
  readonly #beforeResponse: Pause[] = []
  readonly #steps: TurnStep[] = []
  readonly #blocks = new Map<string, number>()
  #refusal: { readonly error: unknown } | undefined
  #ended: string | undefined

  constructor(context: TurnContext) {
    this.#context = context
  }

  /** Emits one stream part. A `finish` part ends the turn. */
  emit(part: LanguageModelV4StreamPart): void {
    this.#step({ type: 'part', part })
    if (part.type === 'finish') this.#ended = 'finish'
  }

  pause(pause: Pause): void {
    this.#step({ type: 'pause', pause })
  }

  /** Emits the `finish` part with the turn's default reason and usage where none is given. */
  finish({ reason, raw, usage, ...rest }: FinishFields): void {
    const unified = reason ?? this.#defaultReason()
    this.emit({
      type: 'finish',
      finishReason: { unified, raw: raw ?? unified },
      usage: usage ?? this.#context.usage,
      ...rest,
    })
  }

  /** The stream errors here. */
  fail(error: unknown): void {
    this.#step({ type: 'fail', error })
    this.#ended = 'fail'
  }

  /** Nothing follows, and no `finish` part is added. */
  stop(by: string): void {
    this.#ended = by
  }

  refuse(error: unknown): void {
    if (this.#steps.length > 0)
      throw this.error('refuses the call after it has answered; refuse() stands alone')
    this.#refusal = { error }
    this.#ended = 'refuse'
  }

  pauseBeforeResponse(pause: Pause): void {
    if (this.#steps.length > 0 || this.#ended)
      throw this.error('has beforeResponse() after other parts; it comes first')
    this.#beforeResponse.push(pause)
  }

  /** The id of a text or reasoning block, unique within the turn: `text-1`, `text-2`, … */
  nextBlockId(block: string): string {
    const count = (this.#blocks.get(block) ?? 0) + 1
    this.#blocks.set(block, count)
    return `${block}-${count}`
  }

  /** The id of a tool call, unique within the model: `call-1`, `call-2`, … */
  nextCallId(): string {
    return this.#context.nextCallId()
  }

  /** The id of the latest provider-executed call of `toolName` in this turn. */
  providerCallId(toolName: string): string {
    const call = this.#toolCalls().findLast((call) => call.providerExecuted && call.toolName === toolName)
    if (call) return call.toolCallId
    throw this.error(
      `has a toolResult('${toolName}') without a call before it. ` +
        `Put toolCall('${toolName}', …, { providerExecuted: true }) before it, or give the result an { id }`,
    )
  }

  end(): WrittenTurn {
    if (!this.#ended) this.finish({})
    return {
      beforeResponse: this.#beforeResponse,
      refusal: this.#refusal,
      steps: [...this.#opening().map((part) => ({ type: 'part' as const, part })), ...this.#steps],
    }
  }

  error(what: string): ScriptError {
    return new ScriptError(`Turn ${this.#context.index + 1} of the script ${what}.`)
  }

  #step(step: TurnStep): void {
    if (this.#ended) throw this.error(`goes on after ${this.#ended}(), which ends the answer`)
    this.#steps.push(step)
  }

  #parts(): LanguageModelV4StreamPart[] {
    const parts: LanguageModelV4StreamPart[] = []
    // A loop: `flatMap` is many times slower, and a turn may have a part for each word of a long text.
    for (const step of this.#steps) if (step.type === 'part') parts.push(step.part)
    return parts
  }

  #toolCalls(): LanguageModelV4ToolCall[] {
    return this.#parts().filter((part) => part.type === 'tool-call')
  }

  #defaultReason(): FinishPart['finishReason']['unified'] {
    if (this.#parts().some((part) => part.type === 'error')) return 'error'
    return this.#toolCalls().some((call) => !call.providerExecuted) ? 'tool-calls' : 'stop'
  }

  #opening(): LanguageModelV4StreamPart[] {
    const { index, modelId } = this.#context
    const opening: LanguageModelV4StreamPart[] = [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: `response-${index + 1}`, modelId, timestamp: new Date(0) },
    ]
    const written = new Set(this.#parts().map((part) => part.type))
    return opening.filter((part) => !written.has(part.type))
  }
}

export interface FinishFields {
  /**
   * Default `error` after an `errorPart()`, `tool-calls` when the client has calls to execute, else `stop`.
   */
  reason?: FinishPart['finishReason']['unified']
  /** The provider's own word for the reason. Default: the same word as `reason`. */
  raw?: string
  /** Default: the model's `usage` option. */
  usage?: LanguageModelV4Usage
  providerMetadata?: NonNullable<FinishPart['providerMetadata']>
}

export const FINISH_FIELDS: OptionNames<FinishFields> = {
  reason: 'optional',
  raw: 'optional',
  usage: 'optional',
  providerMetadata: 'optional',
}
