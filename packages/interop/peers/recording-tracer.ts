import { BaseTracer, type Run } from '@langchain/core/tracers/base'

/** Keeps all that LangChain traces. */
export class RecordingTracer extends BaseTracer {
  readonly name = 'recording'
  readonly seen: string[] = []

  protected override persistRun(run: Run): Promise<void> {
    this.seen.push(JSON.stringify(run))
    return Promise.resolve()
  }

  override onRunUpdate({ child_runs: _, parent_run: __, ...run }: Run): void {
    this.seen.push(JSON.stringify(run))
  }
}
