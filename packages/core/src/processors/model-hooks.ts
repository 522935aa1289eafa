import type { MillraceError } from '../errors.ts'
import type { ModelRequest } from '../model/model-request.ts'
import type { ChunkType } from '../results/chunk.ts'
import type { StepResult } from '../results/result.ts'
import type { MessageList } from '../transcript/message-list.ts'
import type { SuspendArgs } from './hook-arguments.ts'

/**
 * `next` calls the model (or the next processor) and gives its chunks, the last one a `step-finish`. A hook that never
 * calls it answers in the model's place. `suspend` works before `next` has been called.
 */
export interface WrapModelCallArgs extends SuspendArgs {
  request: ModelRequest
  next: (request: ModelRequest) => AsyncIterable<ChunkType>
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

/** Nothing lets the run fail with the error. `retry` takes back what the call emitted and makes it again. */
// biome-ignore lint/suspicious/noConfusingVoidType: a hook may return nothing
export type ProcessModelErrorResult = void | undefined | { retry: true; request?: Partial<ModelRequest> }
