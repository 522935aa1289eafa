import type { FoundRow, HiddenValue, RecordStore } from './record/record-store.ts'
import { runNotFound, StudioError } from './studio-error.ts'
import type { PriceList } from './view/cost.ts'
import { findHidden } from './view/hidden-values.ts'
import { type DetailOptions, type Related, RunView, summaryOf } from './view/run-view.ts'
import type { ChunksPage, RunDetail, RunSummary, RunsPage, RunsQuery } from './wire.ts'

/** Called with the ids of the runs that changed, and of those that were deleted. */
export type ChangeListener = (changed: ReadonlySet<string>, deleted: readonly string[]) => void

/** The recorded runs, in the form of the page. */
export class Library {
  readonly store: RecordStore
  readonly #prices: PriceList | undefined
  /** Writes the pending records of this process. */
  readonly flush: () => void
  readonly #listeners = new Set<ChangeListener>()

  constructor(options: { store: RecordStore; prices: PriceList | undefined; flush: () => void }) {
    this.store = options.store
    this.#prices = options.prices
    this.flush = options.flush
  }

  /** Notifies followers that runs have changed. */
  readonly notify: ChangeListener = (changed, deleted) => {
    for (const listener of this.#listeners) listener(changed, deleted)
  }

  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }

  async list({ limit = 50, ...query }: RunsQuery): Promise<RunsPage> {
    this.flush()
    const { rows, next } = this.store.list({ ...query, limit })
    const runs: RunSummary[] = []
    for (const row of rows) runs.push(await this.#summaryOf(row))
    return { runs, ...(next !== undefined && { next }) }
  }

  async summary(runId: string): Promise<RunSummary | undefined> {
    const row = this.store.get(runId)
    return row && this.#summaryOf(row)
  }

  async detail(runId: string, { revealed }: { revealed: boolean }): Promise<RunDetail> {
    const { view, options } = await this.open(runId, { revealed })
    return view.detail(options, await this.relatedTo(runId))
  }

  async chunks(
    runId: string,
    { from = 0, limit = 500, revealed }: { from?: number; limit?: number; revealed: boolean },
  ): Promise<ChunksPage> {
    const { view, options } = await this.open(runId, { revealed })
    return { chunks: view.reader.chunks(view.shown(options), { from, limit }), total: view.reader.chunkCount }
  }

  /** The current state of a run, for display and for following it. */
  async open(
    runId: string,
    { revealed }: { revealed: boolean },
  ): Promise<{ view: RunView; options: DetailOptions; next: number }> {
    this.flush()
    const row = this.rowOf(runId)
    const view = new RunView()
    const { events, next } = this.store.events(runId)
    for (const event of events) view.add(event)
    return { view, next, options: { row, revealed, hidden: await this.hiddenIn(row), prices: this.#prices } }
  }

  /** @throws StudioError `NOT_FOUND` */
  rowOf(runId: string): FoundRow {
    const row = this.store.get(runId)
    if (!row) throw runNotFound(runId)
    return row
  }

  async relatedTo(runId: string): Promise<Related> {
    const summaries = async (rows: readonly FoundRow[]): Promise<RunSummary[]> => {
      const list: RunSummary[] = []
      for (const row of rows) list.push(await this.#summaryOf(row))
      return list
    }
    return {
      nested: await summaries(this.store.related(runId, 'children')),
      attempts: await summaries(this.store.attempts(runId)),
      replays: await summaries(this.store.related(runId, 'replays')),
    }
  }

  /** The values to hide in a run. Cached once the run has ended. */
  async hiddenIn({ id, facts, state }: FoundRow): Promise<readonly HiddenValue[]> {
    if (facts.changes === 0) return []
    const known = this.store.hidden(id)
    if (known) return known
    const hidden = await findHidden(this.store.events(id).events)
    if (state !== 'running') this.store.keepHidden(id, hidden)
    return hidden
  }

  /** @throws StudioError `CONFLICT` for a run in progress */
  delete(runId: string): boolean {
    this.flush()
    if (this.store.get(runId)?.state === 'running') {
      throw new StudioError('CONFLICT', 'The run is in progress. Delete it after it has ended.')
    }
    const deleted = this.store.delete(runId)
    if (deleted) this.notify(new Set(), [runId])
    return deleted
  }

  async #summaryOf(row: FoundRow): Promise<RunSummary> {
    return summaryOf({ row, hidden: await this.hiddenIn(row), revealed: false, prices: this.#prices })
  }
}
