import '@fontsource-variable/inter/wght.css'
import '@fontsource-variable/jetbrains-mono/wght.css'
import './styles/tokens.css'
import './styles/base.css'
import './styles/controls.css'
import './styles/shell.css'
import './styles/runs.css'
import './styles/run.css'
import './styles/pipeline.css'
import './styles/selected.css'
import './styles/reader.css'
import './styles/texts.css'
import './styles/pages.css'
import './styles/bench.css'
import { CSPProvider } from '@base-ui/react/csp-provider'
import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { takeToken } from './api/token.ts'
import { App } from './app.tsx'

takeToken()
// A link opened in this tab may change only the fragment, which does not reload the page.
addEventListener('hashchange', () => takeToken() && location.reload())
const root = document.getElementById('root')
if (!root) throw new Error('The page has no element #root.')
createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <App />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
)
