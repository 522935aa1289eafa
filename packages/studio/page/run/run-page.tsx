import { Tabs } from '@base-ui/react/tabs'
import { Eye, MessagesSquare, Rows3, Waypoints } from 'lucide-react'
import { useState } from 'react'
import { useRunDetail } from '../api/queries.ts'
import { RequestFailed } from '../api/request.ts'
import { useLiveRun } from '../api/use-live-run.ts'
import { ErrorNotice, Loading, NotFound } from '../parts/empty.tsx'
import { ChunkList } from './chunk-list.tsx'
import { PipelineView } from './pipeline-view.tsx'
import { ReaderView } from './reader-view.tsx'
import { RunContent } from './run-content.tsx'
import { RunHead } from './run-head.tsx'
import { useSelection, type View } from './use-selection.ts'

const TABS: readonly { view: View; label: string; Icon: typeof Eye }[] = [
  { view: 'pipeline', label: 'Pipeline', Icon: Waypoints },
  { view: 'reader', label: 'Reader view', Icon: Eye },
  { view: 'chunks', label: 'Chunks', Icon: Rows3 },
  { view: 'given', label: 'Input and answer', Icon: MessagesSquare },
]

export function RunPage({ runId }: { runId: string }) {
  const [isRevealed, setRevealed] = useState(false)
  const query = useRunDetail(runId, isRevealed)
  const run = query.data
  useLiveRun(run, isRevealed)
  const { view, node, showView, showNode } = useSelection()

  if (!run) {
    if (query.error instanceof RequestFailed && query.error.status === 404) {
      return (
        <NotFound>
          <p>This run was not recorded, or has been deleted.</p>
        </NotFound>
      )
    }
    return (
      <div className="page">
        <h1 className="visually-hidden">Run</h1>
        {query.error ? (
          <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <Loading label="Loading run" />
        )}
      </div>
    )
  }
  return (
    <div className="page run-page">
      <RunHead run={run} isRevealed={isRevealed} onReveal={setRevealed} />
      {query.error && <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />}
      <Tabs.Root className="run-tabs" value={view} onValueChange={(value) => showView(value as View)}>
        <Tabs.List className="tabs" aria-label="Views of the run">
          {TABS.map(({ view: each, label, Icon }) => (
            <Tabs.Tab key={each} value={each} className="tab">
              <Icon aria-hidden size={14} /> {label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        <Tabs.Panel value="pipeline" className="run-panel">
          <PipelineView run={run} selected={node} onSelect={showNode} />
        </Tabs.Panel>
        <Tabs.Panel value="reader" className="run-panel">
          <ReaderView run={run} />
        </Tabs.Panel>
        <Tabs.Panel value="chunks" className="run-panel filled">
          <ChunkList run={run} isRevealed={isRevealed} />
        </Tabs.Panel>
        <Tabs.Panel value="given" className="run-panel">
          <RunContent run={run} />
        </Tabs.Panel>
      </Tabs.Root>
    </div>
  )
}
