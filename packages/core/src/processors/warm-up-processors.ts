import { MillraceError, messageOf } from '../errors.ts'
import type { Processor, WarmUpArgs } from './processor.ts'

/**
 * Calls `warmUp` of each processor that has it, one after the other: modules that load at the same time would hold the event
 * loop together. All are called, also where one fails.
 *
 * @throws MillraceError `PROCESSOR_FAILED` of the first that failed
 */
export async function warmUpProcessors(processors: Iterable<Processor>, args: WarmUpArgs): Promise<void> {
  let failed: MillraceError | undefined
  for (const processor of processors) {
    try {
      await processor.warmUp?.(args)
    } catch (cause) {
      failed ??= failureOf(processor, cause)
    }
  }
  if (failed) throw failed
}

function failureOf({ id }: Processor, cause: unknown): MillraceError {
  const isOurs = MillraceError.isInstance(cause)
  // Of a processor that is made of others, the one that failed.
  if (isOurs && cause.code === 'PROCESSOR_FAILED') return cause
  return new MillraceError(
    'PROCESSOR_FAILED',
    `The processor '${id}' failed in warmUp().${isOurs ? ` ${messageOf(cause)}` : ' The cause has its error.'}`,
    { cause },
  )
}
