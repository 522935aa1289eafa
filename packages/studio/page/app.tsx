import { Redirect, Route, Switch } from 'wouter'
import { useInfo } from './api/queries.ts'
import { useLive } from './api/use-live.ts'
import { BenchPage } from './bench/bench-page.tsx'
import { ChatPage } from './chat/chat-page.tsx'
import { ComparePage } from './compare/compare-page.tsx'
import { AccessDenied } from './parts/access-denied.tsx'
import { NotFound } from './parts/empty.tsx'
import { RunPage } from './run/run-page.tsx'
import { RunsPage } from './runs/runs-page.tsx'
import { Sidebar } from './sidebar.tsx'
import { WaitingPage } from './waiting/waiting-page.tsx'

export function App() {
  const live = useLive()
  const info = useInfo()
  return (
    <div className="app">
      <Sidebar connection={live.connection} waiting={live.waiting} info={info.data} />
      <main className="main">
        {live.connection === 'refused' ? (
          <AccessDenied />
        ) : (
          <Switch>
            <Route path="/" component={RunsPage} />
            <Route path="/runs">
              <Redirect to="/" replace />
            </Route>
            <Route path="/runs/:runId">{({ runId }) => <RunPage key={runId} runId={decoded(runId)} />}</Route>
            <Route path="/compare/:left/:right">
              {({ left, right }) => <ComparePage leftId={decoded(left)} rightId={decoded(right)} />}
            </Route>
            <Route path="/waiting" component={WaitingPage} />
            <Route path="/chat/:agent?">
              {({ agent }) => <ChatPage agentName={agent && decoded(agent)} />}
            </Route>
            <Route path="/bench" component={BenchPage} />
            <Route>
              <NotFound />
            </Route>
          </Switch>
        )}
      </main>
    </div>
  )
}

/** A decoded path segment; returned unchanged if it is not valid encoding. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
