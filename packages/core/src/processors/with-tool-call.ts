import { isSignal } from '../signals.ts'

/** Puts the id of a tool call onto a signal that comes from working on it. */
export async function withToolCall<T>(toolCallId: string, work: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isSignal(error)) error.toolCallId ??= toolCallId
    throw error
  }
}
