import { Collapsible } from '@base-ui/react/collapsible'
import { ChevronRight } from 'lucide-react'
import type { GuardInfo } from '../../src/wire.ts'
import { Check } from '../parts/check.tsx'
import { type Choice, type Choices, choiceOf, withOption } from './choices.ts'
import { OptionField } from './option-field.tsx'

interface GuardPickerProps {
  guards: readonly GuardInfo[]
  choices: Choices
  onChange: (choices: Choices) => void
}

/** Selects guards and their options. */
export function GuardPicker({ guards, choices, onChange }: GuardPickerProps) {
  return (
    <ul className="guards">
      {guards.map((guard) => {
        const choice = choiceOf(guards, choices, guard.name)
        return (
          <li key={guard.name}>
            <GuardItem
              guard={guard}
              choice={choice}
              onChange={(next) => onChange({ ...choices, [guard.name]: next })}
            />
          </li>
        )
      })}
    </ul>
  )
}

interface GuardItemProps {
  guard: GuardInfo
  choice: Choice
  onChange: (choice: Choice) => void
}

function GuardItem({ guard, choice, onChange }: GuardItemProps) {
  const { title, description, options, exportName, importFrom } = guard
  const fields = Object.entries(options.properties)
  const changed = Object.keys(choice.options).length
  return (
    <div className="guard" data-on={choice.isOn || undefined}>
      <Check isChecked={choice.isOn} onChange={(isOn) => onChange({ ...choice, isOn })}>
        <strong>{title}</strong>
      </Check>
      <p className="field-hint">{description}</p>
      <Collapsible.Root>
        <Collapsible.Trigger className="button quiet guard-more">
          <ChevronRight aria-hidden size={13} className="chevron" />
          Options<span className="visually-hidden"> of {title}</span>
          {changed > 0 && <span className="badge">{changed} changed</span>}
        </Collapsible.Trigger>
        <Collapsible.Panel className="guard-options stack">
          <p className="field-hint">
            <span className="code">{exportName}</span> from <span className="code">{importFrom}</span>
          </p>
          {fields.map(([name, property]) => (
            <OptionField
              key={name}
              name={name}
              property={property}
              value={choice.options[name]}
              onChange={(value) => onChange({ ...choice, options: withOption(choice.options, name, value) })}
            />
          ))}
          {fields.length === 0 && <p className="field-hint">It has no options.</p>}
        </Collapsible.Panel>
      </Collapsible.Root>
    </div>
  )
}
