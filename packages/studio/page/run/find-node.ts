import type { PipelineNode, RunDetail, StepView } from '../../src/wire.ts'

export interface PlacedNode {
  node: PipelineNode
  /** Missing outside of steps. */
  step?: StepView
}

/** Finds a node of a run by its id, with its step. */
export function findNode(run: RunDetail, id: string): PlacedNode | undefined {
  for (const step of run.steps) {
    const node = step.pipeline.find((each) => each.id === id)
    if (node) return { node, step }
  }
  const node = [...run.before, ...run.after].find((each) => each.id === id)
  return node && { node }
}

/** Whether a processor did more than pass. Models and tools always count. */
export function hasActed(node: PipelineNode): boolean {
  return node.kind !== 'processor' || node.outcome !== 'passed' || node.findings.length > 0
}

/** The node that is selected at first: the one that ended the run, else the first change. */
export function mostNotable(run: RunDetail): string | undefined {
  const nodes = [...run.before, ...run.steps.flatMap(({ pipeline }) => pipeline), ...run.after]
  const processors = nodes.filter((node) => node.kind === 'processor')
  const ended = processors.filter(({ processorId }) => processorId === run.end?.processorId)
  const found =
    ended.findLast(({ outcome }) => outcome !== 'passed' && outcome !== 'held') ??
    processors.find(({ outcome }) => outcome === 'blocked' || outcome === 'failed') ??
    processors.find(({ changes }) => changes.length > 0)
  return found?.id
}
