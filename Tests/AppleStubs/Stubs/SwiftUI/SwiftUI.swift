/// https://developer.apple.com/documentation/swiftui/text
public struct Text: PrimitiveView {
  let text: String
  public init<Content: StringProtocol>(_ content: Content) { text = String(content) }
  public var texts: [String] { [text] }
}

/// https://developer.apple.com/documentation/swiftui/zstack
public struct ZStack<Content: View>: PrimitiveView {
  let content: Content
  public init(@ViewBuilder content: () -> Content) { self.content = content() }
  public var texts: [String] { content.texts }
}

/// https://developer.apple.com/documentation/swiftui/foreach
public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content> {
  public var data: Data
  public var content: (Data.Element) -> Content
  /// Only in the stub: returns the identity of an element.
  public let id: (Data.Element) -> ID

  package init(data: Data, id: @escaping (Data.Element) -> ID, content: @escaping (Data.Element) -> Content) {
    (self.data, self.id, self.content) = (data, id, content)
  }
}

extension ForEach: View, PrimitiveView where Content: View {
  public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content)
  where Data.Element: Identifiable, ID == Data.Element.ID {
    self.init(data: data, id: \.id, content: content)
  }

  public var texts: [String] { data.flatMap { content($0).texts } }
}

/// https://developer.apple.com/documentation/swiftui/shapestyle
public protocol ShapeStyle: Sendable {}

/// https://developer.apple.com/documentation/swiftui/color
public struct Color: ShapeStyle, Hashable {
  public static let white = Color()
}

/// https://developer.apple.com/documentation/swiftui/tintshapestyle
public struct TintShapeStyle: ShapeStyle {
  public init() {}
}

/// https://developer.apple.com/documentation/swiftui/backgroundstyle
public struct BackgroundStyle: ShapeStyle {
  public init() {}
}

extension ShapeStyle where Self == TintShapeStyle { public static var tint: TintShapeStyle { TintShapeStyle() } }
extension ShapeStyle where Self == BackgroundStyle {
  public static var background: BackgroundStyle { BackgroundStyle() }
}
extension ShapeStyle where Self == Color { public static var white: Color { Color() } }

/// https://developer.apple.com/documentation/swiftui/shape
public protocol Shape: PrimitiveView {}

extension Shape {
  /// https://developer.apple.com/documentation/swiftui/shape/fill(_:style:)
  public func fill<Style: ShapeStyle>(_ content: Style) -> some View { modified() }
}

/// https://developer.apple.com/documentation/swiftui/circle
public struct Circle: Shape {
  public nonisolated init() {}
}

/// https://developer.apple.com/documentation/swiftui/rectangle
public struct Rectangle: Shape {
  public nonisolated init() {}
}

/// https://developer.apple.com/documentation/swiftui/font
public struct Font: Hashable, Sendable {
  public static let caption = Font()
  public func bold() -> Font { self }
}

/// https://developer.apple.com/documentation/swiftui/withanimation(_:_:)
@MainActor public func withAnimation<Result>(_ body: () throws -> Result) rethrows -> Result { try body() }

/// https://developer.apple.com/documentation/swiftui/state
@propertyWrapper public struct State<Value> {
  private final class Storage {
    var value: Value
    init(_ value: Value) { self.value = value }
  }
  private let storage: Storage

  public init(wrappedValue: Value) { storage = Storage(wrappedValue) }
  public var wrappedValue: Value {
    get { storage.value }
    nonmutating set { storage.value = newValue }
  }
  public var projectedValue: Binding<Value> {
    Binding(get: { storage.value }, set: { storage.value = $0 })
  }
}

/// https://developer.apple.com/documentation/swiftui/binding
@propertyWrapper public struct Binding<Value> {
  let get: () -> Value
  let set: (Value) -> Void
  public var wrappedValue: Value {
    get { get() }
    nonmutating set { set(newValue) }
  }
  public var projectedValue: Binding<Value> { self }
}

/// https://developer.apple.com/documentation/swiftui/bindable
@dynamicMemberLookup @propertyWrapper public struct Bindable<Value: AnyObject> {
  public var wrappedValue: Value
  public init(wrappedValue: Value) { self.wrappedValue = wrappedValue }
  public var projectedValue: Bindable<Value> { self }

  public subscript<Subject>(dynamicMember keyPath: ReferenceWritableKeyPath<Value, Subject>) -> Binding<Subject> {
    let value = wrappedValue
    return Binding(get: { value[keyPath: keyPath] }, set: { value[keyPath: keyPath] = $0 })
  }
}

/// https://developer.apple.com/documentation/swiftui/environmentvalues
public struct EnvironmentValues {
  /// Only in the stub: the user's setting.
  nonisolated(unsafe) public static var reducesMotion = false
  public var accessibilityReduceMotion: Bool { Self.reducesMotion }
}

/// https://developer.apple.com/documentation/swiftui/environment
@propertyWrapper public struct Environment<Value> {
  private let keyPath: KeyPath<EnvironmentValues, Value>
  public init(_ keyPath: KeyPath<EnvironmentValues, Value>) { self.keyPath = keyPath }
  public var wrappedValue: Value { EnvironmentValues()[keyPath: keyPath] }
}

/// https://developer.apple.com/documentation/swiftui/progressview
public struct ProgressView: PrimitiveView {
  let title: String
  public nonisolated init<Title: StringProtocol>(_ title: Title) { self.title = String(title) }
  public var texts: [String] { [title] }
}

/// https://developer.apple.com/documentation/swiftui/scene
@MainActor @preconcurrency public protocol Scene {}

/// https://developer.apple.com/documentation/swiftui/scenebuilder
@resultBuilder public struct SceneBuilder {
  public static func buildBlock<Content: Scene>(_ content: Content) -> Content { content }
}

/// https://developer.apple.com/documentation/swiftui/windowgroup
public struct WindowGroup<Content: View>: Scene {
  public init(@ViewBuilder content: () -> Content) {}
}

/// https://developer.apple.com/documentation/swiftui/app
@MainActor @preconcurrency public protocol App {
  associatedtype Body: Scene
  @SceneBuilder var body: Body { get }
  init()
}

extension App {
  /// https://developer.apple.com/documentation/swiftui/app/main()
  public static func main() { _ = Self().body }
}
