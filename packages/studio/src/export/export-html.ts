import type {
  ChangeView,
  DifferencePart,
  MessageView,
  PartView,
  PipelineNode,
  ProcessorNode,
  ReaderEntry,
  RunDetail,
  StepView,
  Text,
  ToolCallView,
} from '../wire.ts'

/** Trusted HTML. Everything else in a template is escaped. */
class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Value = Html | string | number | undefined | readonly Value[]

/** A template that escapes all values, except `Html`. */
function html(strings: TemplateStringsArray, ...values: Value[]): Html {
  return new Html(
    strings.map((part, index) => part + (index < values.length ? written(values[index]) : '')).join(''),
  )
}

function written(value: Value): string {
  if (value === undefined) return ''
  if (value instanceof Html) return value.text
  if (Array.isArray(value)) return value.map(written).join('')
  return (
    String(value)
      .replace(/&/g, '&amp;')
      .replace(/</g, '&lt;')
      .replace(/>/g, '&gt;')
      .replace(/"/g, '&quot;')
      .replace(/'/g, '&#39;')
      // Control characters and bidirectional controls could forge the display.
      .replace(
        /(?!\n|\t)\p{Cc}|[\u202A-\u202E\u2066-\u2069]/gu,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
  )
}

const STYLE = `
:root { color-scheme: light dark; --line: #8886; --add: #2da44e33; --del: #cf222e33; --hide: #8884 }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.4rem } h2 { font-size: 1.15rem; margin-top: 2rem } h3 { font-size: 1rem }
pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 13px/1.5 ui-monospace, monospace; margin: .3rem 0 }
table { border-collapse: collapse } td, th { text-align: left; padding: .15rem 1rem .15rem 0; vertical-align: top }
details, .node { border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .7rem; margin: .4rem 0 }
summary { cursor: pointer } ins { background: var(--add); text-decoration: none } del { background: var(--del) }
mark { background: var(--hide); color: inherit } .quiet { opacity: .7 } .gone { text-decoration: line-through; opacity: .7 }
`

/** A run as a self-contained page: no scripts, no external resources. */
export function exportHtml(run: RunDetail): string {
  const { id, agentName, state, startedAt, durationMs, usage, cost, models, end } = run
  const facts: [string, Value][] = [
    ['Run', id],
    ['Agent', agentName],
    ['State', state],
    ['Began', new Date(startedAt).toISOString()],
    ['Took', durationMs === undefined ? undefined : ms(durationMs)],
    ['Models', models.join(', ')],
    ['Tokens', usage.totalTokens],
    ['Cost', cost && `${cost.amount.toFixed(6)} ${cost.currency}${cost.partial ? ' (in part)' : ''}`],
    ['Found', run.findings.map(({ kind, count }) => `${count} × ${kind}`).join(', ')],
    [
      'Ended',
      end &&
        `${end.reason}${end.processorId === undefined ? '' : ` (${end.processorId}, ${end.hook ?? ''})`}`,
    ],
  ]
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="referrer" content="no-referrer">
<title>${agentName} · ${id}</title>
<style>${new Html(STYLE)}</style>
</head>
<body>
<h1>${agentName}</h1>
<table>${facts.map(([name, value]) => (value === undefined || value === '' ? '' : html`<tr><th>${name}</th><td>${value}</td></tr>`))}</table>
${run.revealed ? html`<p>Values that guards found are shown.</p>` : html`<p class="quiet">Values that guards found are hidden.</p>`}
<h2>Input</h2>
${run.messages.map(messageHtml)}
${section('Before the first step', run.before.map(nodeHtml))}
${run.steps.map(stepHtml)}
${section('After the last step', run.after.map(nodeHtml))}
${section('Reader view', run.reader.map(readerHtml))}
${run.text ? html`<h2>Answer</h2>${textHtml(run.text)}` : ''}
${section(
  'Warnings',
  run.warnings.map((warning) => html`<p>${warning}</p>`),
)}
</body>
</html>
`
  return page.text
}

function section(title: string, content: readonly Html[]): Html {
  return content.length === 0 ? html`` : html`<h2>${title}</h2>${content}`
}

function messageHtml({ role, parts }: MessageView): Html {
  return html`<div class="node"><strong>${role}</strong>${parts.map(partHtml)}</div>`
}

function partHtml(part: PartView): Html {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return textHtml(part.text)
    case 'tool':
      return html`<p>${part.toolName}</p>${[part.input, part.output, part.error].map((text) => text && textHtml(text))}`
    case 'file':
      return html`<p class="quiet">A file: ${part.mediaType} ${part.filename}</p>`
    default:
      return html`<p class="quiet">${part.name}</p>${textHtml(part.value)}`
  }
}

function stepHtml(step: StepView): Html {
  const { stepNumber, durationMs, finishReason, usage, pipeline, toolCalls, discarded } = step
  return html`<h2>Step ${stepNumber + 1}</h2>
<p class="quiet">${[durationMs === undefined ? undefined : ms(durationMs), finishReason, usage.totalTokens === undefined ? undefined : `${usage.totalTokens} tokens`].filter((fact) => fact !== undefined).join(' · ')}</p>
${pipeline.map((node) => nodeHtml(node, toolCalls))}
${step.reasoning ? html`<h3>Reasoning</h3>${textHtml(step.reasoning)}` : ''}
${step.text ? html`<h3>Text</h3>${textHtml(step.text)}` : ''}
${discarded.map(({ reason, processorId, text }) => html`<details><summary>Retracted by ${processorId ?? 'a processor'}: ${reason}</summary>${text && textHtml(text)}</details>`)}`
}

function nodeHtml(
  node: PipelineNode | ProcessorNode,
  toolCalls: readonly ToolCallView[] | number = [],
): Html {
  switch (node.kind) {
    case 'processor':
      return processorHtml(node)
    case 'model':
      return html`<details><summary><strong>${node.modelId}</strong> ${node.provider}${node.durationMs === undefined ? '' : `, ${ms(node.durationMs)}`}</summary>
<p class="quiet">${node.messageCount} messages${node.prompt && node.prompt.kept > 0 ? `, ${node.prompt.kept} of them as in the previous call` : ''}</p>
${node.prompt?.messages.map(messageHtml)}</details>`
    default: {
      const call = Array.isArray(toolCalls)
        ? toolCalls.find(({ toolCallId }) => toolCallId === node.toolCallId)
        : undefined
      return call ? callHtml(call) : html`<div class="node">A tool was executed.</div>`
    }
  }
}

function processorHtml({ processorId, hook, outcome, durationMs, changes, findings }: ProcessorNode): Html {
  const found = [...Map.groupBy(findings, ({ kind }) => kind)].map(
    ([kind, { length }]) => `${length} × ${kind}`,
  )
  const title = html`<strong>${processorId}</strong> ${hook}: ${outcome}, ${ms(durationMs)} ${found.join(', ')}`
  if (changes.length === 0) return html`<div class="node">${title}</div>`
  return html`<details><summary>${title}</summary>${changes.map(changeHtml)}</details>`
}

function changeHtml({ place, difference }: ChangeView): Html {
  return html`<p class="quiet">${place}</p><pre>${difference.map(differenceHtml)}</pre>`
}

function differenceHtml({ type, text, hidden, kind }: DifferencePart): Html {
  const shown = hidden
    ? html`<mark title="${kind ?? 'hidden'}">${text}${kind ? ` ${kind}` : ''}</mark>`
    : html`${text}`
  if (type === 'removed') return html`<del>${shown}</del>`
  return type === 'added' ? html`<ins>${shown}</ins>` : shown
}

function callHtml({ toolName, state, input, output, error, approval, durationMs }: ToolCallView): Html {
  const facts = [
    state,
    durationMs === undefined ? undefined : ms(durationMs),
    approval && `approval ${approval.state}`,
  ]
  return html`<details><summary>Tool <strong>${toolName}</strong>: ${facts.filter((fact) => fact !== undefined).join(', ')}</summary>
${[input, output, error].map((text) => text && textHtml(text))}</details>`
}

function readerHtml({ atMs, event }: ReaderEntry): Html {
  const at = html`<span class="quiet">${ms(atMs)}</span>`
  switch (event.type) {
    case 'text':
    case 'reasoning':
      return html`<div class="node ${event.retracted ? 'gone' : ''}">${at} ${event.type}${textHtml(event.text)}</div>`
    case 'tool-call':
      return html`<div class="node">${at} calls ${event.toolName}${textHtml(event.input)}</div>`
    case 'tool-result':
    case 'tool-error':
    case 'tool-denied':
      return html`<div class="node">${at} ${event.type} of ${event.toolName}${textHtml(event.value)}</div>`
    case 'retracted':
      return html`<div class="node">${at} retracted${event.processorId ? ` by ${event.processorId}` : ''}: ${event.reason}</div>`
    case 'replaced':
      return html`<div class="node">${at} replaced by${textHtml(event.text)}</div>`
    case 'data':
      return html`<div class="node">${at} ${event.name}${textHtml(event.value)}</div>`
    case 'blocked':
      return html`<div class="node">${at} blocked${event.processorId ? ` by ${event.processorId}` : ''}: ${event.reason}</div>`
    case 'error':
      return html`<div class="node">${at} ${event.message}</div>`
    default:
      return html`<div class="node">${at} ${event.type}</div>`
  }
}

function textHtml({ text, cut }: Text): Html {
  return html`<pre>${text}${cut ? '\n… (truncated)' : ''}</pre>`
}

function ms(milliseconds: number): string {
  return milliseconds < 1_000 ? `${milliseconds.toFixed(1)} ms` : `${(milliseconds / 1_000).toFixed(2)} s`
}
