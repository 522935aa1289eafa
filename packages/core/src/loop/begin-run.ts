import type { Pipeline } from '../processors/pipeline.ts'
import type { Run } from '../run/run.ts'
import { loadHookKit } from './hooks-on-demand.ts'

/** Sets the processors of a run before its loop starts. Loads the code that calls hooks if there are processors. */
export async function beginRun(run: Run, pipeline: Pipeline): Promise<void> {
  if (pipeline.names.size > 0) await loadHookKit()
  run.begin(pipeline, pipeline.processDelivery ? await deliveryOf(run, pipeline.processDelivery) : undefined)
}

async function deliveryOf(run: Run, processors: NonNullable<Pipeline['processDelivery']>) {
  const { ChunkDelivery } = await import('./end/chunk-delivery.ts')
  return new ChunkDelivery(run, processors)
}
