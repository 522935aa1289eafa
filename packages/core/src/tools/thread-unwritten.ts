/**
 * The payload of a run that has called tools and whose thread could not be written at its end. It waits for no data:
 * resuming it writes the thread.
 */
export interface ThreadUnwrittenPayload {
  type: 'thread-unwritten'
  code: 'RUN_THREAD_UNWRITTEN'
  message: string
}
