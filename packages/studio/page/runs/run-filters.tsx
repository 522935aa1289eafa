import { Search, X } from 'lucide-react'
import { useId, useMemo } from 'react'
import type { AgentInfo, RunState, RunSummary } from '../../src/wire.ts'
import type { RunsFilter } from '../api/queries.ts'
import { STATES } from '../parts/outcome.tsx'

interface RunFiltersProps {
  filter: RunsFilter
  onChange: (filter: RunsFilter) => void
  /** The options of the filters are collected from these. */
  runs: readonly RunSummary[]
  agents: readonly AgentInfo[]
}

export function RunFilters({ filter, onChange, runs, agents }: RunFiltersProps) {
  const id = useId()
  const processors = useMemo(
    () =>
      sorted(
        runs.flatMap(({ acted }) => acted.map(({ processorId }) => processorId)),
        filter.processor,
      ),
    [runs, filter.processor],
  )
  const names = useMemo(
    () =>
      sorted([...agents.map(({ name }) => name), ...runs.map(({ agentName }) => agentName)], filter.agent),
    [agents, runs, filter.agent],
  )
  const set = (change: RunsFilter): void => onChange({ ...filter, ...change })
  return (
    <search className="filters">
      <div className="search-field">
        <Search aria-hidden size={15} />
        <label className="visually-hidden" htmlFor={id}>
          Search in questions, answers and ids
        </label>
        <input
          id={id}
          type="search"
          className="input"
          placeholder="Search in questions, answers and ids"
          value={filter.search ?? ''}
          onChange={({ target }) => set({ search: target.value })}
        />
      </div>
      <Choice
        label="Outcome"
        all="Any outcome"
        value={filter.state}
        options={Object.keys(STATES)}
        labelOf={(state) => STATES[state as RunState].label}
        onChange={(state) => set({ state })}
      />
      <Choice
        label="Agent"
        all="Any agent"
        value={filter.agent}
        options={names}
        onChange={(agent) => set({ agent })}
      />
      <Choice
        label="Acted"
        all="Any processor"
        value={filter.processor}
        options={processors}
        onChange={(processor) => set({ processor })}
      />
      {(filter.threadId || filter.resourceId) && (
        <button
          type="button"
          className="button"
          aria-pressed="true"
          onClick={() => set({ threadId: '', resourceId: '' })}
        >
          {filter.threadId ? `Thread ${filter.threadId}` : `Resource ${filter.resourceId}`}
          <X aria-label="Remove" size={13} />
        </button>
      )}
    </search>
  )
}

interface ChoiceProps {
  label: string
  /** The label if nothing is selected. */
  all: string
  value: string | undefined
  options: readonly string[]
  labelOf?: (option: string) => string
  onChange: (value: string) => void
}

function Choice({ label, all, value = '', options, labelOf = (option) => option, onChange }: ChoiceProps) {
  return (
    <select
      className="select"
      aria-label={label}
      data-chosen={value !== '' || undefined}
      value={value}
      onChange={({ target }) => onChange(target.value)}
    >
      <option value="">{all}</option>
      {options.map((option) => (
        <option key={option} value={option}>
          {labelOf(option)}
        </option>
      ))}
    </select>
  )
}

/** The distinct names, sorted, including the selected one. */
function sorted(names: readonly string[], chosen: string | undefined): string[] {
  return [...new Set(chosen ? [...names, chosen] : names)].sort()
}
