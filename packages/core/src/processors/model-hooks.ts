import type { MillraceError } from '../errors.ts'
import type { ModelRequest } from '../model/model-request.ts'
import type { Chunk } from '../results/chunk.ts'
import type { StepResult } from '../results/result.ts'
import type { MessageList } from '../transcript/message-list.ts'
import type { MaybePromise, SuspendArgs } from './hook-arguments.ts'
import type { HookReturn } from './hook-return.ts'
import { promptMessage } from './message-shape.ts'
import { SETTINGS } from './settings-shape.ts'
import { list, object, oneOf } from './shape.ts'

/**
 * `next` calls the model, or the next processor, and returns its chunks; the last one is `step-finish`. A hook that
 * does not call `next` answers in the model's place. `suspend` may only be called before `next`.
 */
export interface WrapModelCallArgs extends SuspendArgs {
  request: ModelRequest
  next: (request: ModelRequest) => AsyncIterable<Chunk>
  messageList: MessageList
  stepNumber: number
  /** The previous steps. */
  steps: readonly StepResult[]
}

export interface ProcessModelErrorArgs extends SuspendArgs {
  /** `MODEL_CALL_FAILED` or `MODEL_STREAM_FAILED`, with the provider's error as cause. */
  error: MillraceError
  /** The number of this failure in the step, from 1. After the second there is no retry. */
  attempt: number
  request: ModelRequest
  messageList: MessageList
  stepNumber: number
}

/**
 * Nothing: the run fails with the error. `retry` discards what the call has emitted and repeats the call: with the
 * same request, with the changes in `request`, or, with `prepare`, with a request that `processInputStep` of all
 * processors prepares again.
 */
export type ProcessModelErrorResult =
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
  void | undefined | { retry: true; request?: Partial<ModelRequest> } | { retry: true; prepare: true }

/** Hooks around the model call. */
export interface ModelHooks {
  /** Around every model call, including the provider's retries. The first processor is outermost. */
  wrapModelCall?(args: WrapModelCallArgs): MaybePromise<AsyncIterable<Chunk>>
  /** After a model call has failed, including the provider's retries. */
  processModelError?(args: ProcessModelErrorArgs): MaybePromise<ProcessModelErrorResult>
}

/** The shapes of their results, for validation. */
export const MODEL_RETURNS: Readonly<Record<keyof ModelHooks, HookReturn>> = {
  wrapModelCall: { allowed: 'an async iterable of chunks' },
  processModelError: {
    allowed: '{ retry: true, request? } or { retry: true, prepare: true }',
    object: object(
      { retry: oneOf(true) },
      {
        optional: {
          request: object({}, { optional: { prompt: list(promptMessage), ...SETTINGS } }),
          prepare: oneOf(true),
        },
        atMostOneOf: ['request', 'prepare'],
      },
    ),
  },
}
