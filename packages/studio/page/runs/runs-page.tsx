import { Inbox, SearchX } from 'lucide-react'
import { useDeferredValue } from 'react'
import { useInfo, useRuns } from '../api/queries.ts'
import { Empty, ErrorNotice, Loading } from '../parts/empty.tsx'
import { ImportButton } from './import-button.tsx'
import { RunFilters } from './run-filters.tsx'
import { RunTable } from './run-table.tsx'
import { useFilter } from './use-filter.ts'

export function RunsPage() {
  const { filter, change, isFiltered } = useFilter()
  const runs = useRuns(useDeferredValue(filter))
  const info = useInfo()
  const list = runs.data ?? []
  return (
    <div className="page filled">
      <div className="page-head">
        <h1 className="page-title">Runs</h1>
        <div className="row">
          <ImportButton />
        </div>
      </div>
      <RunFilters filter={filter} onChange={change} runs={list} agents={info.data?.agents ?? []} />
      {runs.error && <ErrorNotice error={runs.error} onRetry={() => void runs.refetch()} />}
      {runs.isPending && <Loading label="Loading runs" />}
      {runs.isSuccess &&
        list.length === 0 &&
        (isFiltered ? <NothingFound onClear={() => change({})} /> : <NoRuns />)}
      {list.length > 0 && (
        <RunTable
          runs={list}
          hasMore={runs.hasNextPage}
          isLoadingMore={runs.isFetchingNextPage}
          onMore={() => void runs.fetchNextPage()}
        />
      )}
    </div>
  )
}

function NoRuns() {
  return (
    <Empty Icon={Inbox} title="No recorded runs">
      <p>
        Runs of the agents in <code>studio({'{ agents }'})</code> appear here as they run. Call an agent, chat
        with one under Chat, or import an exported run.
      </p>
    </Empty>
  )
}

function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <Empty Icon={SearchX} title="No matching runs">
      <p>No recorded run matches all filters.</p>
      <button type="button" className="button" onClick={onClear}>
        Clear the filters
      </button>
    </Empty>
  )
}
