// Draws the loop from core's table of hooks, so that new hooks appear in it.
import { HOOK_NAMES, HOOKS, type HookName } from '../../packages/core/src/hook-name.ts'

interface Stage {
  readonly name: string
  readonly note: string
  readonly has: (hook: HookName) => boolean
}

const isTool = (hook: HookName): boolean => /^process(?:Tool|Execution)/.test(hook)

/** A hook is in the first stage that lists it. */
const STAGES: readonly Stage[] = [
  {
    name: 'input',
    note: 'what the user sent',
    has: (hook) => !HOOKS[hook].inSteps && HOOKS[hook].list === 'input',
  },
  { name: 'model', note: 'each step', has: (hook) => HOOKS[hook].inSteps && !isTool(hook) },
  { name: 'tools', note: 'each step', has: (hook) => HOOKS[hook].inSteps && isTool(hook) },
  { name: 'end', note: 'result and chunks', has: (hook) => !HOOKS[hook].inSteps },
]

const LEFT = 60
const WIDTH = 680
const GAP = 28
const ROW = 35

const STYLE =
  '.b{fill:#f6f6f7;stroke:#b8bac2}.h{fill:#fff;stroke:#d4d6dd}.t{fill:#2b2d33}.m{fill:#686b76;font-size:12px}.k{font-family:ui-monospace,monospace;font-size:12.5px;fill:#2b2d33}.a{stroke:#686b76;stroke-width:1.5;fill:none}@media (prefers-color-scheme:dark){.b{fill:#24262b;stroke:#55585f}.h{fill:#1b1c20;stroke:#44474f}.t,.k{fill:#e6e6e9}.m{fill:#a0a3ad}.a{stroke:#a0a3ad}}'

export function pipelineSvg(): string {
  const left = new Set(HOOK_NAMES)
  const places: { top: number; bottom: number }[] = []
  const parts: string[] = []
  let top = 14
  for (const { name, note, has } of STAGES) {
    const hooks = [...left].filter(has)
    for (const hook of hooks) left.delete(hook)
    const { boxes, rows } = drawHooks(hooks, top + 38)
    const bottom = top + 41 + rows * ROW
    parts.push(
      `<rect class="b" x="${LEFT}" y="${top}" width="${WIDTH}" height="${bottom - top}" rx="8"/>`,
      `<text class="t" x="${LEFT + 16}" y="${top + 26}" font-weight="600">${name}</text>`,
      `<text class="m" x="${LEFT + WIDTH - 16}" y="${top + 24}" text-anchor="end">${note}</text>`,
      ...boxes,
    )
    places.push({ top, bottom })
    top = bottom + GAP
  }
  if (left.size > 0) throw new Error(`No stage has ${[...left].join(', ')}. Add it to STAGES.`)
  const arrows = places
    .slice(1)
    .map((place) => `<path class="a" d="M400 ${place.top - GAP}V${place.top - 3}" marker-end="url(#e)"/>`)
  const [, model = places[0], tools = places[0]] = places
  const from = ((tools?.top ?? 0) + (tools?.bottom ?? 0)) / 2
  const to = ((model?.top ?? 0) + (model?.bottom ?? 0)) / 2
  const middle = (from + to) / 2
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 ${top - GAP + 14}" role="img" font-family="ui-sans-serif, system-ui, sans-serif" font-size="14">
<title>The stages of a run</title>
<style>${STYLE}</style>
<defs><marker id="e" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0 8 4 0 8z" fill="#8a8d97"/></marker></defs>
${[...parts, ...arrows].join('\n')}
<path class="a" d="M60 ${from}H30V${to}H56" marker-end="url(#e)"/>
<text class="m" x="20" y="${middle}" transform="rotate(-90 20 ${middle})" text-anchor="middle">again</text>
</svg>
`
}

/** Boxes with the names of hooks, in as many rows as needed. */
function drawHooks(hooks: readonly HookName[], top: number): { boxes: string[]; rows: number } {
  const boxes: string[] = []
  let x = LEFT + 16
  let row = 0
  for (const hook of hooks) {
    const width = Math.round(hook.length * 7.6 + 17)
    if (x + width > LEFT + WIDTH - 16) {
      x = LEFT + 16
      row++
    }
    const y = top + row * ROW
    boxes.push(
      `<rect class="h" x="${x}" y="${y}" width="${width}" height="27" rx="5"/><text class="k" x="${x + width / 2}" y="${y + 18}" text-anchor="middle">${hook}</text>`,
    )
    x += width + 10
  }
  return { boxes, rows: row + 1 }
}
