import { Fragment } from 'react'
import type { DifferencePart } from '../../src/wire.ts'
import { groupDifference, shortened } from './difference-groups.ts'

interface DifferenceProps {
  parts: readonly DifferencePart[]
  /** Whether long unchanged passages are shown completely. Default: only their ends. */
  isWhole?: boolean
}

/** The difference of two texts. Of hidden values, only the kind is shown. */
export function Difference({ parts, isWhole = false }: DifferenceProps) {
  const groups = groupDifference(parts)
  return (
    <div className="difference">
      {groups.map((group, index) => {
        const key = `${index}`
        if (group.type === 'same') {
          const text = isWhole
            ? group.text
            : shortened(group.text, { isFirst: index === 0, isLast: index === groups.length - 1 })
          return <Fragment key={key}>{text}</Fragment>
        }
        return (
          <span key={key} className="swap">
            {group.removed.map((part, at) => (
              <Removed key={`${key}-${at}`} part={part} />
            ))}
            {group.added !== '' && (
              <ins>
                <span className="visually-hidden"> replaced by: </span>
                {group.added}
              </ins>
            )}
          </span>
        )
      })}
    </div>
  )
}

function Removed({ part: { text, hidden = false, kind } }: { part: DifferencePart }) {
  return (
    <del data-hidden={hidden || undefined}>
      <span className="visually-hidden"> removed: </span>
      {kind !== undefined && <span className="del-kind">{kind}</span>}
      {hidden ? (
        <>
          <span aria-hidden="true">{text}</span>
          <span className="visually-hidden"> hidden</span>
        </>
      ) : (
        text
      )}
    </del>
  )
}
