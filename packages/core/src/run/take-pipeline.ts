import type { Pipeline } from '../processors/pipeline.ts'
import type { HookKit, Run } from './run.ts'

/** Kept, since `import()` takes its time. */
let kit: HookKit | undefined

/** Gives a run its processors. What calls them is loaded where there are any. */
export async function takePipeline(run: Run, pipeline: Pipeline): Promise<void> {
  if (pipeline.names.size > 0) {
    kit ??= await import('../processors/hook-kit.ts')
    run.kit = kit
  }
  run.pipeline = pipeline
}
