@_exported import Foundation
@_exported import Observation

/// https://developer.apple.com/documentation/swiftui/view
@MainActor @preconcurrency public protocol View {
  associatedtype Body: View
  @ViewBuilder var body: Body { get }

  /// Only in the stub: the texts that are drawn, in order.
  var texts: [String] { get }

  /// Only in the stub: the closures that react to the camera and to the size.
  var actions: [Any] { get }

  /// Only in the stub: the least size of the outermost view that reacts to taps; nil if no view sets it.
  var targetSize: CGSize? { get }
}

extension View {
  public var texts: [String] { body.texts }
  public var actions: [Any] { body.actions }
  public var targetSize: CGSize? { body.targetSize }
}

/// A view that consists of no other views.
public protocol PrimitiveView: View where Body == Never {}

extension PrimitiveView {
  public var body: Never { fatalError("A primitive view has no body") }
  public var texts: [String] { [] }
  public var actions: [Any] { [] }
  public var targetSize: CGSize? { nil }
}

extension Never: View {
  public var body: Never { fatalError("Never has no body") }
  public var texts: [String] { [] }
  public var actions: [Any] { [] }
  public var targetSize: CGSize? { nil }
}

/// https://developer.apple.com/documentation/swiftui/emptyview
public struct EmptyView: PrimitiveView {
  public nonisolated init() {}
}

extension Optional: View where Wrapped: View {
  public var body: Never { fatalError("An optional view has no body") }
  public var texts: [String] { self?.texts ?? [] }
  public var actions: [Any] { self?.actions ?? [] }
  public var targetSize: CGSize? { self?.targetSize }
}

/// https://developer.apple.com/documentation/swiftui/tupleview
public struct TupleView<each Content: View>: PrimitiveView {
  nonisolated(unsafe) let content: (repeat each Content)
  nonisolated init(_ content: repeat each Content) { self.content = (repeat each content) }

  public var texts: [String] {
    var texts: [String] = []
    repeat texts += (each content).texts
    return texts
  }
}

/// https://developer.apple.com/documentation/swiftui/viewbuilder
@resultBuilder public struct ViewBuilder {
  public static func buildBlock() -> EmptyView { EmptyView() }
  public static func buildBlock<Content: View>(_ content: Content) -> Content { content }
  public static func buildBlock<each Content: View>(_ content: repeat each Content) -> TupleView<repeat each Content> {
    TupleView(repeat each content)
  }
  public static func buildExpression<Content: View>(_ content: Content) -> Content { content }
  public static func buildIf<Content: View>(_ content: Content?) -> Content? { content }
  public static func buildEither<First: View, Second: View>(first: First) -> ConditionalContent<First, Second> {
    .first(first)
  }
  public static func buildEither<First: View, Second: View>(second: Second) -> ConditionalContent<First, Second> {
    .second(second)
  }
}

/// One of two views.
public enum ConditionalContent<First: View, Second: View>: PrimitiveView {
  case first(First)
  case second(Second)

  public var texts: [String] {
    switch self {
    case .first(let view): view.texts
    case .second(let view): view.texts
    }
  }
}

/// A view with its modifiers.
public struct ModifiedView<Content: View>: PrimitiveView {
  let content: Content
  let label: String?
  let action: Any?
  let least: CGSize?

  public var texts: [String] { label.map { [$0] } ?? content.texts }
  public var actions: [Any] { content.actions + (action.map { [$0] } ?? []) }
  public var targetSize: CGSize? { least ?? content.targetSize }
}

extension View {
  package func modified(label: String? = nil, action: Any? = nil, least: CGSize? = nil) -> some View {
    ModifiedView(content: self, label: label, action: action, least: least)
  }

  /// https://developer.apple.com/documentation/swiftui/view/frame(width:height:alignment:)
  public func frame(width: CGFloat? = nil, height: CGFloat? = nil) -> some View { modified() }
  /// The overload with least sizes: https://developer.apple.com/documentation/swiftui/view-layout
  public func frame(minWidth: CGFloat?, minHeight: CGFloat?) -> some View {
    modified(least: CGSize(width: minWidth ?? 0, height: minHeight ?? 0))
  }
  /// https://developer.apple.com/documentation/swiftui/view/contentshape(_:eofill:)
  public func contentShape<TapShape: Shape>(_ shape: TapShape) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/scaleeffect(_:anchor:)
  public func scaleEffect(_ scale: CGFloat) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/onchange(of:initial:_:)
  public func onChange<Value: Equatable>(
    of value: Value, initial: Bool = false, _ action: @escaping () -> Void
  ) -> some View {
    if initial { action() }
    return modified()
  }
  /// https://developer.apple.com/documentation/swiftui/view/padding(_:_:)
  public func padding(_ length: CGFloat) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/font(_:)
  public func font(_ font: Font?) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/foregroundstyle(_:)
  public func foregroundStyle<Style: ShapeStyle>(_ style: Style) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/minimumscalefactor(_:)
  public func minimumScaleFactor(_ factor: CGFloat) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/linelimit(_:)
  public func lineLimit(_ number: Int?) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/ontapgesture(count:perform:)
  public func onTapGesture(count: Int = 1, perform action: @escaping () -> Void) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/onappear(perform:)
  public func onAppear(perform action: (() -> Void)? = nil) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/ignoressafearea(_:edges:)
  public func ignoresSafeArea() -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/task(priority:_:)
  public func task(
    priority: TaskPriority = .userInitiated,
    @_inheritActorContext _ action: sending @escaping @isolated(any) () async -> Void
  ) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/ongeometrychange(for:of:action:)
  public func onGeometryChange<Value: Equatable & Sendable>(
    for type: Value.Type, of transform: @escaping @Sendable (GeometryProxy) -> Value,
    action: @escaping (_ newValue: Value) -> Void
  ) -> some View { modified(action: { (proxy: GeometryProxy) in action(transform(proxy)) }) }
  /// https://developer.apple.com/documentation/swiftui/view/accessibilityelement(children:)
  public func accessibilityElement(children: AccessibilityChildBehavior = .ignore) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/accessibilitylabel(_:)
  public func accessibilityLabel(_ label: String) -> some View { modified(label: label) }
  /// https://developer.apple.com/documentation/swiftui/view/accessibilityaddtraits(_:)
  public func accessibilityAddTraits(_ traits: AccessibilityTraits) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/accessibilityhidden(_:)
  public func accessibilityHidden(_ hidden: Bool) -> some View { modified() }
  /// https://developer.apple.com/documentation/swiftui/view/opacity(_:)
  public func opacity(_ opacity: Double) -> some View { modified() }
}

/// https://developer.apple.com/documentation/swiftui/accessibilitychildbehavior
public struct AccessibilityChildBehavior: Sendable {
  public static let ignore = AccessibilityChildBehavior()
}

/// https://developer.apple.com/documentation/swiftui/accessibilitytraits
public struct AccessibilityTraits: Sendable {
  public static let isButton = AccessibilityTraits()
  public static let isSelected = AccessibilityTraits()
}

/// https://developer.apple.com/documentation/swiftui/geometryproxy
public struct GeometryProxy: Sendable {
  public var size: CGSize
  /// Only in the stub: creates the geometry of a view of a size.
  public init(size: CGSize) { self.size = size }
}

/// https://developer.apple.com/documentation/swiftui/coordinatespaceprotocol
public protocol CoordinateSpaceProtocol {}

/// https://developer.apple.com/documentation/swiftui/localcoordinatespace
public struct LocalCoordinateSpace: CoordinateSpaceProtocol {}

extension CoordinateSpaceProtocol where Self == LocalCoordinateSpace {
  public static var local: LocalCoordinateSpace { LocalCoordinateSpace() }
}
