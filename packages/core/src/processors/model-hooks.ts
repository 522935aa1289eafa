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
 * `next` calls the model (or the next processor) and gives its chunks, the last one a `step-finish`. A hook that never
 * calls it answers in the model's place. `suspend` works before `next` has been called.
 */
export interface WrapModelCallArgs extends SuspendArgs {
  request: ModelRequest
  next: (request: ModelRequest) => AsyncIterable<Chunk>
  messageList: MessageList
  stepNumber: number
  /** The steps before this one. */
  steps: readonly StepResult[]
}

export interface ProcessModelErrorArgs extends SuspendArgs {
  /** `MODEL_CALL_FAILED` or `MODEL_STREAM_FAILED`, with the provider's error as cause. */
  error: MillraceError
  /** Which failure of this step this is, counted from 1. After the second there is no retry. */
  attempt: number
  request: ModelRequest
  messageList: MessageList
  stepNumber: number
}

/**
 * Nothing lets the run fail with the error. `retry` takes back what the call emitted and makes it again: with the same
 * request, with one changed by `request`, or, with `prepare`, with one that `processInputStep` of all processors prepares
 * anew.
 */
export type ProcessModelErrorResult =
  // biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
  void | undefined | { retry: true; request?: Partial<ModelRequest> } | { retry: true; prepare: true }

/** Around the model call. */
export interface ModelHooks {
  /** Around every model call, retries of the provider included. The first processor is outermost. */
  wrapModelCall?(args: WrapModelCallArgs): MaybePromise<AsyncIterable<Chunk>>
  /** When a model call has failed after the provider's retries. */
  processModelError?(args: ProcessModelErrorArgs): MaybePromise<ProcessModelErrorResult>
}

/** What they may return, to be checked. */
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
