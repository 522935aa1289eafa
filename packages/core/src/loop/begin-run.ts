import type { Pipeline } from '../processors/pipeline.ts'
import type { Run } from '../run/run.ts'
import { loadHookKit } from './hooks-on-demand.ts'

/** Gives a run its processors, before its loop begins. What calls hooks is loaded where there are any. */
export async function beginRun(run: Run, pipeline: Pipeline): Promise<void> {
  if (pipeline.names.size > 0) await loadHookKit()
  run.begin(pipeline, pipeline.processDelivery ? await deliveryOf(run, pipeline.processDelivery) : undefined)
}

async function deliveryOf(run: Run, processors: NonNullable<Pipeline['processDelivery']>) {
  const { ChunkDelivery } = await import('./end/chunk-delivery.ts')
  return new ChunkDelivery(run, processors)
}
